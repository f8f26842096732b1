import type { Client, RegisteredUser, ToolPack } from '@carabiner/sdk'
import { createMcpCaller } from '../playground/mcp-caller.ts'

/** The connector of the sandbox, which needs no account at a real provider. */
export const SANDBOX = 'sandbox-notes'
const SANDBOX_TOOL = `${SANDBOX}__list_notes`

export const createPack = (api: Client) => api.toolPacks.create({ name: 'My first Tool Pack' })

export const storePayloads = (api: Client) => api.organization.update({ capture: 'on' })

export const createTestUser = (api: Client) =>
  api.registeredUsers.upsert({ origin_user_id: 'test-user', origin_user_name: 'Test user' })

/** Opens the link in a tab that was opened by the click itself, because browsers block tabs that are opened later. */
export const openTestLink = async (api: Client, user: RegisteredUser, pack: ToolPack): Promise<void> => {
  const tab = window.open('', '_blank')
  try {
    const link = await api.linkTokens.mint(user.id, { tool_pack_id: pack.id, connector: SANDBOX })
    if (tab) tab.location.href = link.magic_link_url
    else window.location.assign(link.magic_link_url)
  } catch (error) {
    tab?.close()
    throw error
  }
}

/** Calls a tool of the sandbox as an agent does: at the MCP URL of the user, with a key of the user. */
export const callTestTool = async (api: Client, user: RegisteredUser, pack: ToolPack): Promise<void> => {
  const keyName = 'First call from the dashboard'
  const caller = createMcpCaller({ api, packId: pack.id, userId: user.id, keyName })
  try {
    const { response } = await caller.call('tools/call', { name: SANDBOX_TOOL, arguments: {} })
    if (response.error || response.result?.['isError'])
      throw new Error(response.error?.message ?? 'The tool returned an error. The details are in the logs.')
  } finally {
    caller.close()
  }
}
