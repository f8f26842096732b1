import { CommandError } from '../terminal/output.ts'
import { isUuid } from './find-user.ts'
import type { Client, ToolPack } from './sdk.ts'

/** Finds a Tool Pack by ID or name. Default: the default Tool Pack. */
export const findPack = async (client: Client, pack?: string): Promise<ToolPack> => {
  if (pack !== undefined && isUuid(pack)) return client.toolPacks.get(pack)
  const found: ToolPack[] = []
  for await (const each of client.toolPacks.list())
    if (pack === undefined ? each.is_default : each.name === pack) found.push(each)
  if (found.length > 1)
    throw new CommandError(
      `Several Tool Packs have the name "${pack}". Use the ID. See \`carabiner packs list\`.`,
    )
  if (found[0]) return found[0]
  throw new CommandError(
    pack === undefined
      ? 'There is no default Tool Pack. Use --pack.'
      : `There is no Tool Pack "${pack}". See \`carabiner packs list\`.`,
    'tool_pack_not_found',
  )
}
