import type { ToolPack } from './api-types.ts'
import type { CallOptions, Send } from './send.ts'

export const toolPacks = (send: Send) => ({
  list: async (options?: CallOptions) =>
    (await send<{ data: ToolPack[] }>('GET', '/tool-packs', options)).data,
})
