import { asks } from "../../../app/asks.mjs";

export const runtime = "edge";

export const GET = async () => new Response(await asks());
