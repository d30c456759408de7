// Renders the chat into the page. The server bundles the script from this file.

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat.js";

createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <Chat />
  </StrictMode>,
);
