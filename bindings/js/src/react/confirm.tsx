// The dialog that asks for confirmation before an action that can't be undone.

import { type KeyboardEvent, type ReactElement, useId, useLayoutEffect, useRef } from "react";
import { type Look, part } from "./look.js";

interface ConfirmProps {
  readonly question: string;
  /** What the button does. */
  readonly yes: string;
  readonly look: Look;
  readonly onEnd: (isAgreed: boolean) => void;
}

/** Asks before something that can't be taken back. */
export function Confirm({ question, yes, look, onEnd }: ConfirmProps): ReactElement {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  // Closed before it is removed, so that the focus goes back.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    keep.current?.focus();
    return () => shown?.close();
  }, []);
  function onKeyDown(event: KeyboardEvent): void {
    // The form around it would send the answers.
    event.stopPropagation();
    // A key that opened this and is still down would end it.
    if (event.key === "Enter" && event.repeat) event.preventDefault();
  }

  return (
    <dialog
      {...part(look, "confirm")}
      ref={dialog}
      aria-labelledby={id}
      onKeyDown={onKeyDown}
      onCancel={() => onEnd(false)}
    >
      <p id={id}>{question}</p>
      <button type="button" {...part(look, "agree")} onClick={() => onEnd(true)}>
        {yes}
      </button>
      <button type="button" {...part(look, "keep")} ref={keep} onClick={() => onEnd(false)}>
        {look.labels.keep}
      </button>
    </dialog>
  );
}
