// @ts-check
// Settings of the user, stored in this browser only.

const PREFIX = 'followup.';

/** @param {string} name */
export function remembered(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value */
export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Without storage the setting lasts as long as the page.
  }
}
