// @ts-check
// Requests to the service, and its errors.

const KEY = 'followup.token';

/** A token that a header can carry: the service accepts no other. */
const TOKEN = /^[\x21-\x7e]+$/;

/** An error of the service, or of the connection to it. */
export class ApiError extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * The token of this tab, from the address (which is then cleared of it) or as the user typed it.
 */
export const token = {
  value: stored(),
  /** Whether the last one that was given can't be a token. */
  isWrong: false,
  /** Keeps a token. Returns whether it can be one. @param {string} value */
  set(value) {
    token.isWrong = !TOKEN.test(value);
    if (token.isWrong) return false;
    token.value = value;
    try {
      sessionStorage.setItem(KEY, value);
    } catch {
      // Without storage the token lasts as long as the page.
    }
    return true;
  },
  /** Removes `#token=…` or `#/c/ID&token=…` from the address, and keeps the token. */
  takeFromAddress() {
    const found = /(?:^#|&)token=([^&]*)/.exec(location.hash);
    if (!found) return;
    history.replaceState(
      null,
      '',
      location.pathname +
        location.search +
        location.hash.replace(found[0], found[0][0] === '#' ? '#' : '').replace(/^#&?$/, ''),
    );
    token.set(decoded(found[1]));
  },
};

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function stored() {
  try {
    const value = sessionStorage.getItem(KEY) ?? '';
    return TOKEN.test(value) ? value : '';
  } catch {
    return '';
  }
}

/** @returns {Record<string, string>} */
export function authorization() {
  return token.value ? { Authorization: `Bearer ${token.value}` } : {};
}

/** @param {string} id */
export function conversationUrl(id) {
  return `/conversations/${encodeURIComponent(id)}`;
}

/**
 * Sends a request and returns the response's JSON.
 * @param {string} path
 * @param {unknown} [body] makes it a POST
 * @param {string} [method]
 * @returns {Promise<any>} `null` if the response has no body
 */
export async function request(path, body, method = body === undefined ? 'GET' : 'POST') {
  const json = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    Accept: 'application/json',
    ...authorization(),
    ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  const response = await send(
    path,
    {
      method,
      headers,
      body: json,
      cache: 'no-store',
      keepalive: json !== undefined && json.length <= MAX_KEPT_ALIVE,
    },
    json?.length ?? 0,
  );
  if (!response.ok) throw await errorOf(response);
  return response.status === 204 ? null : response.json();
}

const LARGE_BODY = 4 << 20;

/**
 * Length of a body up to which its request outlives the page. Browsers allow 64 KiB for all such
 * requests together, in UTF-8.
 */
const MAX_KEPT_ALIVE = 8 << 10;

/** @param {string} path @param {RequestInit} init @param {number} size */
async function send(path, init, size) {
  try {
    return await fetch(path, init);
  } catch {
    // A service may close the connection in the middle of a body that is too large.
    const why =
      size > LARGE_BODY
        ? ` The request has ${megabytes(size)}, which may be more than it accepts.`
        : ' Is it still running?';
    throw new ApiError(0, 'unreachable', `The service can't be reached.${why}`);
  }
}

/** @param {Response} response */
async function errorOf(response) {
  try {
    const { code, message } = (await response.json()).error;
    return new ApiError(response.status, String(code), String(message));
  } catch {
    return new ApiError(
      response.status,
      'unknown',
      `The service answered with status ${response.status}.`,
    );
  }
}

/** @param {number} bytes */
export function megabytes(bytes) {
  const unit = bytes < 1 << 20 ? 'kilobyte' : 'megabyte';
  const value = bytes / (unit === 'kilobyte' ? 1 << 10 : 1 << 20);
  return value.toLocaleString('en', {
    style: 'unit',
    unit,
    maximumFractionDigits: value < 10 ? 1 : 0,
  });
}
