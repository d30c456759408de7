// The hook that collects attached images: picked, pasted or dropped.

import { type ClipboardEvent, type DragEvent, useRef, useState } from "react";
import { type Attached, filesOf, type ImageProblem, readImage } from "./image.js";

/** A file that can't go with the answer, and why. */
export interface Refused {
  readonly name: string;
  readonly problem: ImageProblem;
}

interface Kept extends Attached {
  readonly id: number;
}

/** The images that go with an answer. */
export interface Images {
  readonly attached: readonly Kept[];
  /** The files of the last try that are not among them. */
  readonly refused: readonly Refused[];
  readonly add: (files: readonly File[]) => void;
  readonly remove: (id: number) => void;
  /**
   * Takes the images, as data URLs, once all files are read; not if one of them turns out to be
   * refused.
   */
  readonly take: (run: (urls: readonly string[]) => void) => void;
  /** Takes images that are pasted or dropped on an element. */
  readonly targets: Targets;
}

/** What takes images on an element. */
export interface Targets {
  readonly onPaste?: (event: ClipboardEvent) => void;
  readonly onDragOver?: (event: DragEvent) => void;
  readonly onDrop?: (event: DragEvent) => void;
}

/** Collects the images that go with an answer, while it is open. */
export function useImages(isOpen: boolean, onChange: () => void): Images {
  const [attached, setAttached] = useState<readonly Kept[]>([]);
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const kept = useRef<readonly Kept[]>([]);
  const next = useRef(0);
  /** The files that are being read, and whether all of them are taken. */
  const reading = useRef<Promise<boolean> | undefined>(undefined);

  function keep(images: readonly Kept[]): void {
    kept.current = images;
    setAttached(images);
  }

  async function read(
    files: readonly File[],
    before: Promise<boolean> | undefined,
  ): Promise<boolean> {
    const results = await Promise.all(files.map(readImage));
    const isTaken = (await before) ?? true;
    const images = results
      .filter((one) => typeof one !== "string")
      .map((one) => ({ ...one, id: next.current++ }));
    keep([...kept.current, ...images]);
    setRefused(
      files.flatMap(({ name }, i) =>
        typeof results[i] === "string" ? { name, problem: results[i] } : [],
      ),
    );
    return isTaken && images.length === files.length;
  }

  function add(files: readonly File[]): void {
    if (!isOpen || files.length === 0) return;
    onChange();
    const current = read(files, reading.current);
    reading.current = current;
    void current.then(() => reading.current === current && (reading.current = undefined));
  }

  function take(run: (urls: readonly string[]) => void): void {
    const takeAll = () => run(kept.current.map(({ url }) => url));
    if (reading.current === undefined) takeAll();
    else void reading.current.then((isTaken) => isTaken && takeAll());
  }

  function receive(event: { preventDefault: () => void }, data: DataTransfer): void {
    const files = filesOf(data);
    if (files.length > 0) event.preventDefault();
    add(files);
  }

  const targets: Targets = {
    onPaste: (event) => receive(event, event.clipboardData),
    // A file that is dropped elsewhere replaces the page.
    onDragOver: (event) => event.dataTransfer.types.includes("Files") && event.preventDefault(),
    onDrop: (event) => receive(event, event.dataTransfer),
  };
  const remove = (id: number) => keep(kept.current.filter((one) => one.id !== id));
  return { attached, refused, add, remove, take, targets: isOpen ? targets : {} };
}
