// A route that runs the parser on the Node.js runtime of Next.js, anew for each request.

import { asks } from "../../../app/asks.mjs";

export const dynamic = "force-dynamic";

export const GET = async () => new Response(await asks());
