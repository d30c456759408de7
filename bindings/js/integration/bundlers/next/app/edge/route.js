// A route that runs the parser on the edge runtime of Next.js.

import { asks } from "../../../app/asks.mjs";

export const runtime = "edge";

export const GET = async () => new Response(await asks());
