// Begins the first requests while the page's other script is still loading, which saves a round
// trip. It runs before the page is parsed, and imports nothing.

const storedToken = () => {
  try {
    const token = sessionStorage.getItem('followup.token') ?? '';
    // No header can carry another one.
    return /^[\x21-\x7e]+$/.test(token) ? token : '';
  } catch {
    return '';
  }
};

const begin = (/** @type {string} */ url, /** @type {string} */ token) => {
  const abort = new AbortController();
  const headers = {
    Accept: 'text/event-stream',
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  };
  const response = fetch(url, { signal: abort.signal, cache: 'no-store', headers });
  response.catch(() => {});
  return { abort, response };
};

// A token in the address has to be taken out of it first.
if (!/(?:^#|&)token=/.test(location.hash)) {
  const [, id] = /^#\/c\/([A-Za-z0-9_-]{1,64})$/.exec(location.hash) ?? [];
  const urls = ['/conversations/events', ...(id ? [`/conversations/${id}/events`] : [])];
  const token = storedToken();
  Object.assign(globalThis, {
    followupEarly: new Map(urls.map((url) => [url, begin(url, token)])),
  });
}
