// A parser with the static functions of Roo Code's `NativeToolCallParser`, made after it, since its
// source is not on npm. It treats arguments as that does: it keeps them, and reads all of them
// again with each chunk. It counts the characters that it reads.

const TOOLS = ["ask_followup_question", "read_file", "write_to_file"];
const ALIASES = { ask_user: "ask_followup_question" };

/** Returns a new class, because its state is static. */
export function original() {
  return class NativeToolCallParser {
    static streamingToolCalls = new Map();
    static rawChunks = new Map();
    static read = { characters: 0 };

    static processRawChunk({ index, id, name, arguments: delta }) {
      if (id && !this.rawChunks.has(index)) this.rawChunks.set(index, { id, name });
      const tracked = this.rawChunks.get(index);
      if (!tracked) return [];
      const events = name ? [{ type: "tool_call_start", id: tracked.id, name }] : [];
      return delta ? [...events, { type: "tool_call_delta", id: tracked.id, delta }] : events;
    }

    static processFinishReason(reason) {
      return reason === "tool_calls"
        ? [...this.rawChunks.values()].map(({ id }) => ({ type: "tool_call_end", id }))
        : [];
    }

    static finalizeRawChunks() {
      const ends = this.processFinishReason("tool_calls");
      this.rawChunks.clear();
      return ends;
    }

    static clearRawChunkState() {
      this.rawChunks.clear();
    }

    static startStreamingToolCall(id, name) {
      this.streamingToolCalls.set(id, { id, name, text: "" });
    }

    static clearAllStreamingToolCalls() {
      this.streamingToolCalls.clear();
    }

    static hasActiveStreamingToolCalls() {
      return this.streamingToolCalls.size > 0;
    }

    static processStreamingChunk(id, chunk) {
      const call = this.streamingToolCalls.get(id);
      if (!call) return null;
      call.text += chunk;
      this.read.characters += call.text.length;
      const path = /"path":"([^"]*)/.exec(call.text)?.[1];
      return {
        type: "tool_use",
        name: call.name,
        params: path === undefined ? {} : { path },
        partial: true,
        nativeArgs: path === undefined ? undefined : { path },
      };
    }

    static finalizeStreamingToolCall(id) {
      const call = this.streamingToolCalls.get(id);
      if (!call) return null;
      this.streamingToolCalls.delete(id);
      return this.parseToolCall({ id, name: call.name, arguments: call.text });
    }

    static parseToolCall({ name, arguments: text }) {
      const resolved = ALIASES[name] ?? name;
      if (name.startsWith("mcp--"))
        return { type: "mcp_tool_use", name, arguments: JSON.parse(text || "{}"), partial: false };
      if (!TOOLS.includes(resolved)) return null;
      try {
        const args = text === "" ? {} : JSON.parse(text);
        const params = Object.fromEntries(
          Object.entries(args).map(([key, value]) => [
            key,
            typeof value === "string" ? value : JSON.stringify(value),
          ]),
        );
        const isWhole =
          resolved !== "ask_followup_question" ||
          (args.question !== undefined && args.follow_up !== undefined);
        const use = {
          type: "tool_use",
          name: resolved,
          params,
          partial: false,
          nativeArgs: isWhole ? args : undefined,
        };
        return name === resolved ? use : { ...use, originalName: name };
      } catch {
        return null;
      }
    }
  };
}
