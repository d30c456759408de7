// The hook `useLayoutEffect`, without the warning that React 18 logs on a server.

import { useEffect, useLayoutEffect } from "react";

/**
 * `useLayoutEffect`; on a server, where there is no layout and React 18 warns of it, `useEffect`,
 * which does nothing there.
 */
export const useLayout = typeof document === "undefined" ? useEffect : useLayoutEffect;
