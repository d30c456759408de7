// Schedules a function for the next animation frame, or by a timer where there are no frames.

/** A page that is hidden has no frames. */
const LONGEST = 250;

/** Calls the function before the next frame is painted; without frames, a little later. */
export function nextFrame(run: () => void): void {
  if (typeof requestAnimationFrame !== "function") {
    setTimeout(run, 0);
    return;
  }
  const once = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    run();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, LONGEST);
}
