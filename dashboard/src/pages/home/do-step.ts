import { type Client, mcpUrl, type RegisteredUser, type ToolPack } from '@carabiner/sdk'

/** The connector of the sandbox, which needs no account at a real provider. */
export const SANDBOX = 'sandbox-notes'
const SANDBOX_TOOL = `${SANDBOX}__list_notes`

export const createPack = (api: Client) => api.toolPacks.create({ name: 'My first Tool Pack' })

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

/** Calls a tool of the sandbox as an agent does: at the MCP URL of the user, with a key that ends after a day. */
export const callTestTool = async (api: Client, user: RegisteredUser, pack: ToolPack): Promise<void> => {
  const { id, key } = await api.registeredUsers.mcpKeys.create(user.id, {
    name: 'First call from the dashboard',
    tool_pack_ids: [pack.id],
    expires_in_days: 1,
  })
  try {
    const url = mcpUrl({
      baseUrl: window.location.origin,
      toolPackId: pack.id,
      registeredUserId: user.id,
    })
    const response = await fetch(url, {
      method: 'POST',
      credentials: 'omit',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: SANDBOX_TOOL, arguments: {} },
      }),
    })
    const answer = (await response.json()) as {
      error?: { message: string }
      result?: { isError?: boolean }
    }
    if (!response.ok || answer.error || answer.result?.isError)
      throw new Error(answer.error?.message ?? 'The tool returned an error. The details are in the logs.')
  } finally {
    await api.registeredUsers.mcpKeys.revoke(user.id, id)
  }
}
