// Tests that attached images are read as data URLs that a dialogue accepts, or are refused.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Dialogue } from "followup/dialogue";
import { MAX_IMAGE, readImage } from "../dist/react/image.js";

describe("an image that goes with an answer", () => {
  const HEADS = {
    png: "\x89PNG\r\n\x1a\n",
    jpeg: "\xff\xd8\xff\xe0",
    gif: "GIF87a",
    webp: "RIFF\x01\x00\x00\x00WEBP",
  };
  const file = (head, size = 0) =>
    new File([Buffer.from(head, "latin1"), new Uint8Array(size)], "a");

  /** Returns the images of the reply that a dialogue makes of them. */
  function answered(images) {
    const dialogue = new Dialogue();
    dialogue.event({
      type: "complete",
      call: 0,
      tool: "ask_followup_question",
      question: "Q?",
      suggestions: [],
      notes: [],
      noteCodes: [],
      start: 0,
      end: 0,
    });
    return dialogue.answer(0, { type: "text", text: "" }, images).images;
  }

  test("is a data URL that a dialogue takes, of any length", async () => {
    for (const [type, head] of Object.entries(HEADS)) {
      for (const size of [0, 1, 2, 0x6000, 0x6000 - 1, 0x6001, 100_000]) {
        const { url } = await readImage(file(head, size));
        assert.equal(
          url,
          `data:image/${type};base64,${Buffer.concat([Buffer.from(head, "latin1"), Buffer.alloc(size)]).toString("base64")}`,
        );
        assert.deepEqual(answered([url]), [url]);
      }
    }
  });

  test("is refused if it is empty, of another type, too large, or can't be read", async () => {
    assert.equal(await readImage(file("")), "empty");
    for (const head of ["GIF88a", "RIFF\x01\x00\x00\x00WAVE", "<svg", "\x89PNG"])
      assert.equal(await readImage(file(head, 20)), "unknownType");
    const largest = ((MAX_IMAGE - "data:image/gif;base64,".length) >> 2) * 3;
    const { url } = await readImage(file(HEADS.gif, largest - 6));
    assert.ok(url.length <= MAX_IMAGE && url.length > MAX_IMAGE - 4);
    assert.deepEqual(answered([url]), [url]);
    assert.equal(await readImage(file(HEADS.gif, largest - 5)), "tooLarge");
    assert.throws(() => answered(["data:image/png;base64,R0lGODlh"]), TypeError);
    const lost = {
      size: 9,
      name: "a",
      slice: () => ({ arrayBuffer: () => Promise.reject(new Error("gone")) }),
    };
    assert.equal(await readImage(lost), "unreadable");
  });
});
