// Reads image files that the user attaches, and validates their types and sizes.

/** An image that goes with an answer. */
export interface Attached {
  readonly name: string;
  /** The image as a data URL. */
  readonly url: string;
}

/** What is wrong with a file that should go with an answer. */
export type ImageProblem = "empty" | "unknownType" | "tooLarge" | "unreadable";

/** The types of images that a dialogue takes. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** The length of the longest data URL: the limit that the Rust crate has by default. */
export const MAX_IMAGE = 20 << 20;

/** How many bytes are written as text at once. A multiple of three. */
const PIECE = 0x6000;

/** Reads a file as an image. Returns what is wrong with it, if anything is. */
export async function readImage(file: File): Promise<Attached | ImageProblem> {
  if (file.size === 0) return "empty";
  try {
    const type = imageType(new Uint8Array(await file.slice(0, 12).arrayBuffer()));
    if (type === undefined) return "unknownType";
    const start = `data:${type};base64,`;
    if (start.length + Math.ceil(file.size / 3) * 4 > MAX_IMAGE) return "tooLarge";
    return { name: file.name, url: start + base64(new Uint8Array(await file.arrayBuffer())) };
  } catch {
    return "unreadable";
  }
}

/** Returns the type that the first bytes of an image tell. */
function imageType(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head);
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  return text.startsWith("RIFF") && text.slice(8) === "WEBP" ? "image/webp" : undefined;
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  }
  return text;
}

/**
 * Returns the files that were pasted or dropped; none with a text: a copied table also has a
 * picture of itself.
 */
export function filesOf(data: DataTransfer): File[] {
  return data.types.includes("text/plain") ? [] : Array.from(data.files);
}
