// Renders the images attached to an answer, and the button that attaches more.

import { type ChangeEvent, type ReactElement, useRef } from "react";
import { IMAGE_TYPES } from "./image.js";
import { type Look, part } from "./look.js";
import type { Images } from "./use-images.js";

interface TrayProps {
  readonly images: Images;
  readonly look: Look;
}

/** The images that go with the answer, each with a button that removes it. */
export function Tray({ images: { attached, refused, remove }, look }: TrayProps): ReactElement {
  const { labels } = look;
  const list = useRef<HTMLUListElement>(null);

  function removeAt(index: number, id: number): void {
    const buttons = list.current?.querySelectorAll("button");
    const next =
      buttons?.[index + 1] ??
      buttons?.[index - 1] ??
      list.current?.closest("form")?.querySelector("textarea");
    next?.focus();
    remove(id);
  }

  return (
    <>
      {attached.length > 0 && (
        <ul {...part(look, "images")} ref={list} aria-label={labels.images}>
          {attached.map(({ id, name, url }, i) => (
            <li {...part(look, "image")} key={id}>
              <img src={url} alt={name || labels.image(i + 1)} />
              <button
                type="button"
                {...part(look, "remove")}
                aria-label={labels.removeImage(name || labels.image(i + 1))}
                onClick={() => removeAt(i, id)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {refused.length > 0 && (
        <div {...part(look, "problem")} role="alert">
          {refused.map(({ name, problem }, i) => (
            <p key={i}>{labels.imageProblem(name || labels.image(i + 1), problem)}</p>
          ))}
        </div>
      )}
    </>
  );
}

interface AddImagesProps extends TrayProps {
  readonly isOpen: boolean;
}

/** The button that attaches images. */
export function AddImages({ images: { add }, isOpen, look }: AddImagesProps): ReactElement {
  const picker = useRef<HTMLInputElement>(null);

  function onPick({ currentTarget }: ChangeEvent<HTMLInputElement>): void {
    add(Array.from(currentTarget.files ?? []));
    // The same file can then be picked again.
    currentTarget.value = "";
  }

  return (
    <>
      <button
        type="button"
        {...part(look, "add")}
        aria-disabled={!isOpen || undefined}
        onClick={() => isOpen && picker.current?.click()}
      >
        {look.labels.addImages}
      </button>
      <input
        type="file"
        ref={picker}
        accept={IMAGE_TYPES.join()}
        multiple
        hidden
        onChange={onPick}
      />
    </>
  );
}
