import { asks } from "../../../app/asks.mjs";

export const dynamic = "force-dynamic";

export const GET = async () => new Response(await asks());
