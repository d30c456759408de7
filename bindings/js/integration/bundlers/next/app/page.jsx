// A page that runs the parser while the server renders it, and again in the browser.

"use client";

import { Parser } from "followup";
import { useEffect, useState } from "react";
import { asks } from "../../app/asks.mjs";

export default function Page() {
  const [told, setTold] = useState("");
  useEffect(() => void asks().then(setTold), []);
  const [first] = new Parser().feed("rendered on the server too");
  return (
    <>
      <p id="told">{told}</p>
      <p id="rendered">{first.text}</p>
    </>
  );
}
