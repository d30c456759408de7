// The type of the elements that `SingleQuestion` and `Form` both render, given by their parent.

import type { ReactElement } from "react";

/** What a question and a form have in common. */
export interface Slots {
  /** The countdown. */
  readonly clock: ReactElement;
  /** The images that go with the answer. */
  readonly tray: ReactElement;
  /** The button that attaches images. */
  readonly add: ReactElement | null;
  /** The buttons that end the call without an answer. */
  readonly ends: ReactElement;
}
