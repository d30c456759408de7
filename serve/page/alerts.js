// @ts-check
// How the page calls the user back: the tab's title, a badge on its icon, and notifications.

import { plain } from './visible.js';

/** @typedef {import('./list.js').Entry} Entry */

const ICON = document.querySelector('link[rel=icon]');
const PLAIN = ICON?.getAttribute('href') ?? '';

/** Shows the number of open questions in the tab's title and on its icon. @param {number} count */
export function showCount(count) {
  const title = count ? `(${count}) followup` : 'followup';
  if (document.title === title) return;
  document.title = title;
  const badge = "%3Ccircle cx='12' cy='4' r='4' fill='%23e5484d' stroke='%23fff'/%3E%3C/svg%3E";
  ICON?.setAttribute('href', count ? PLAIN.replace(/%3C\/svg%3E$/, badge) : PLAIN);
}

/**
 * Shows the button that allows notifications, unless they are decided about.
 * @param {HTMLButtonElement} button
 */
export function offerNotifications(button) {
  button.hidden = !('Notification' in window) || Notification.permission !== 'default';
  button.addEventListener('click', async () => {
    await Notification.requestPermission();
    button.hidden = Notification.permission !== 'default';
  });
}

/** Finds the questions that have opened since the last list. */
export class NewQuestions {
  /** @type {Map<string, string | null> | null} */ #before = null;

  /** @param {Entry[]} entries @returns {Entry[]} */
  of(entries) {
    const before = this.#before;
    this.#before = new Map(entries.map(({ id, open }) => [id, open]));
    return before ? entries.filter(({ id, open }) => open !== null && before.get(id) !== open) : [];
  }
}

/**
 * Notifies of a question, if the user has allowed it and does not see it.
 * @param {Entry} entry
 * @param {string} title
 * @param {() => void} onClick
 */
export function notify(entry, title, onClick) {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  try {
    const shown = new Notification(plain(title), {
      body: plain((entry.open ?? '').slice(0, 200)),
      tag: entry.id,
    });
    shown.onclick = () => {
      window.focus();
      onClick();
      shown.close();
    };
  } catch {
    // Chrome on Android has notifications for service workers only.
  }
}
