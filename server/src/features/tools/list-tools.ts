import { type Connectors, packConnectors } from '../connectors/availability.ts'
import type { CallerRow } from './admission-store.ts'
import { toolName } from './tool-names.ts'

export type ListedTool = {
  name: string
  title: string
  description: string
  inputSchema: Record<string, unknown>
  annotations: { title: string; readOnlyHint: boolean }
}

export type ListOptions = { only: string[] | null; authenticatedOnly: boolean }

/** In a stable order. `outputSchema` is never advertised: a result may be redacted or be an `authenticate_meta`. */
export const listTools = (
  connectors: Connectors,
  caller: CallerRow,
  { only, authenticatedOnly }: ListOptions,
): ListedTool[] =>
  packConnectors(connectors, caller.pack_connectors)
    .filter(({ slug }) => !only || only.includes(slug))
    .filter(({ slug }) => !authenticatedOnly || caller.linked_connectors.includes(slug))
    .flatMap(connector =>
      connector.tools.map(tool => ({
        name: toolName(connector, tool),
        title: tool.title,
        description: tool.description,
        inputSchema: tool.input_schema,
        annotations: { title: tool.title, readOnlyHint: tool.read_only },
      })),
    )
