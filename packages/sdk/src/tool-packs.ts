import type { ToolPack, ToolPackPatch, ToolPackTools, ToolPackWrite } from './api-types.ts'
import { createPages, type Page, type PageOptions } from './pages.ts'
import { path } from './path.ts'
import type { CallOptions, PostOptions, Send } from './send.ts'

/** Selections of connectors and tools for agents. Changes require the production key. */
export const toolPacks = (send: Send) => ({
  create: (body: ToolPackWrite, options?: PostOptions) =>
    send<ToolPack>('POST', '/tool-packs', options, { body }),
  get: (id: string, options?: CallOptions) => send<ToolPack>('GET', path`/tool-packs/${id}`, options),
  list: ({ limit }: PageOptions = {}, options?: CallOptions) =>
    createPages(cursor => send<Page<ToolPack>>('GET', '/tool-packs', options, { query: { limit, cursor } })),
  /** The tools as a model sees them, page by page, with the size of their definitions. */
  tools: (id: string, { limit, cursor }: PageOptions & { cursor?: string } = {}, options?: CallOptions) =>
    send<ToolPackTools>('GET', path`/tool-packs/${id}/tools`, options, { query: { limit, cursor } }),
  /** Omitted settings return to the defaults of a new pack. */
  replace: (id: string, body: ToolPackWrite, options?: CallOptions) =>
    send<ToolPack>('PUT', path`/tool-packs/${id}`, options, { body }),
  /** Omitted settings keep their value. */
  update: (id: string, body: ToolPackPatch, options?: CallOptions) =>
    send<ToolPack>('PATCH', path`/tool-packs/${id}`, options, { body }),
  delete: (id: string, options?: CallOptions) => send<void>('DELETE', path`/tool-packs/${id}`, options),
})
