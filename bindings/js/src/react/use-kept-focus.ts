// The hook that keeps the focus inside the component when the focused element is removed.

import { type RefObject, useEffect, useRef } from "react";
import { useLayout } from "./use-layout.js";

/** Focuses an element when what had the focus in it is gone after a change of the state. */
export function useKeptFocus(root: RefObject<HTMLElement | null>, state: string): void {
  const had = useRef(false);
  useEffect(() => {
    // An element that is removed while it has the focus does not tell.
    const note = ({ target }: Event) =>
      void (had.current = target instanceof Node && root.current?.contains(target) === true);
    document.addEventListener("focusin", note);
    document.addEventListener("pointerdown", note);
    return () => {
      document.removeEventListener("focusin", note);
      document.removeEventListener("pointerdown", note);
    };
  }, [root]);
  useLayout(() => {
    if (had.current && document.activeElement === document.body) root.current?.focus();
  }, [root, state]);
}
