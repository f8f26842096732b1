import { createBrowserUser, linkNotes } from '../../server/test/support/browser-user.ts'
import type { TestService } from '../../server/test/support/test-service.ts'

export const LIST_NOTES = 'sandbox-notes__list_notes'

/** Calls a tool of the sandbox for a user, in production or with a test key. */
export const callNotes = (t: TestService, userId: string, key = t.organization.key, args: object = {}) =>
  t.mcp(userId, 'tools/call', { name: LIST_NOTES, arguments: args }, { key })

/** A user who has connected the sandbox. */
export const createLinkedUser = async (
  t: TestService,
  fields: Record<string, unknown>,
  key = t.organization.key,
): Promise<{ id: string }> => {
  const user = await t.createUser(fields, key)
  await linkNotes(createBrowserUser(), (await t.mint(user.id, {}, key)).magic_link_url)
  return user
}
