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
  /** Takes images that are pasted or dropped on an element. */
  readonly targets: Targets;
}

interface Targets {
  readonly onPaste?: (event: ClipboardEvent) => void;
  readonly onDragOver?: (event: DragEvent) => void;
  readonly onDrop?: (event: DragEvent) => void;
}

/** Collects the images that go with an answer, while it is open. */
export function useImages(isOpen: boolean, onChange: () => void): Images {
  const [attached, setAttached] = useState<readonly Kept[]>([]);
  const next = useRef(0);
  const [refused, setRefused] = useState<readonly Refused[]>([]);

  async function read(files: readonly File[]): Promise<void> {
    const results = await Promise.all(files.map(readImage));
    const images = results.filter((one) => typeof one !== "string").map((one) => ({ ...one, id: next.current++ }));
    setAttached((before) => [...before, ...images]);
    setRefused(files.flatMap(({ name }, i) => (typeof results[i] === "string" ? { name, problem: results[i] } : [])));
  }

  function add(files: readonly File[]): void {
    if (!isOpen || files.length === 0) return;
    onChange();
    void read(files);
  }

  function take(event: { preventDefault: () => void }, data: DataTransfer): void {
    const files = filesOf(data);
    if (files.length > 0) event.preventDefault();
    add(files);
  }

  const targets: Targets = {
    onPaste: (event) => take(event, event.clipboardData),
    // A file that is dropped elsewhere replaces the page.
    onDragOver: (event) => event.dataTransfer.types.includes("Files") && event.preventDefault(),
    onDrop: (event) => take(event, event.dataTransfer),
  };
  const remove = (id: number) => setAttached((before) => before.filter((one) => one.id !== id));
  return { attached, refused, add, remove, targets: isOpen ? targets : {} };
}
