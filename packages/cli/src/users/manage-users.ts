import { withApi } from '../api/api-client.ts'
import { findUser } from '../api/find-user.ts'
import type { RegisteredUser } from '../api/sdk.ts'
import { pageSize, take } from '../api/take.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Confirmed, requireConfirmation } from '../program/confirm.ts'
import { type Output, UsageError } from '../terminal/output.ts'
import { momentOf, printable } from '../terminal/printable.ts'
import { details, table } from '../terminal/table.ts'

export type UserFields = {
  name?: string
  email?: string
  metadata?: Record<string, unknown>
  rateLimit?: number
}

export const listUsers = (
  context: CliContext,
  { search, limit }: { search?: string; limit: number },
): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const filter = { limit: pageSize(limit), ...(search !== undefined && { search }) }
    const users = await take(client.registeredUsers.list(filter), limit)
    return {
      text:
        users.length === 0
          ? 'There are no Registered Users in the mode of this API key.'
          : table(
              users,
              [
                { title: 'ID', value: user => user.id },
                { title: 'OWN ID', value: user => user.origin_user_id, shrinks: true },
                { title: 'NAME', value: user => user.origin_user_name, shrinks: true },
                { title: 'STATUS', value: user => (user.is_active ? 'active' : 'inactive') },
                {
                  title: 'CONNECTED',
                  value: user => user.linked_connectors.join(', ') || '–',
                  shrinks: true,
                },
              ],
              context.screen,
            ),
      data: users,
    }
  })

const describeUser = ({ screen }: CliContext, user: RegisteredUser): string =>
  details(
    [
      ['ID', user.id],
      ['Own ID', user.origin_user_id],
      ['Name', user.origin_user_name],
      ['Email', user.email],
      ['Status', user.is_active ? 'active' : 'inactive'],
      ['Mode', user.is_test ? 'test' : 'production'],
      ['Connected', user.linked_connectors.join(', ') || 'no accounts'],
      ['Rate limit', user.rate_limit_per_minute && `${user.rate_limit_per_minute} calls per minute`],
      ['Metadata', Object.keys(user.metadata).length > 0 ? JSON.stringify(user.metadata) : null],
      ['Created', momentOf(user.created_at)],
    ],
    screen,
  )

export const showUser = (context: CliContext, user: string): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const found = await findUser(client, user)
    return { text: describeUser(context, found), data: found }
  })

const bodyOf = ({ name, email, metadata, rateLimit }: UserFields) => ({
  ...(name !== undefined && { origin_user_name: name }),
  ...(email !== undefined && { email }),
  ...(metadata !== undefined && { metadata }),
  ...(rateLimit !== undefined && { rate_limit_per_minute: rateLimit }),
})

export const createUser = (context: CliContext, ownId: string, fields: UserFields): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const user = await client.registeredUsers.upsert({ origin_user_id: ownId, ...bodyOf(fields) })
    return { text: describeUser(context, user), data: user }
  })

export const updateUser = (context: CliContext, user: string, fields: UserFields): Promise<Output> => {
  const body = bodyOf(fields)
  if (Object.keys(body).length === 0)
    throw new UsageError('Use at least one of --name, --email, --metadata and --rate-limit.')
  return withApi(context, async ({ client }) => {
    const { id } = await findUser(client, user)
    const updated = await client.registeredUsers.update(id, body)
    return { text: describeUser(context, updated), data: updated }
  })
}

export const setActive = (
  context: CliContext,
  user: string,
  isActive: boolean,
  confirmed: Confirmed,
): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const found = await findUser(client, user)
    if (!isActive)
      await requireConfirmation(
        context,
        `Deactivate ${nameOf(found)}? Their connected accounts are revoked.`,
        confirmed,
      )
    const updated = await client.registeredUsers.update(found.id, { is_active: isActive })
    return { text: `${nameOf(updated)} is ${isActive ? 'active' : 'inactive'}.`, data: updated }
  })

export const deleteUser = (context: CliContext, user: string, confirmed: Confirmed): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const found = await findUser(client, user)
    await requireConfirmation(
      context,
      `Delete ${nameOf(found)} and all of their data? This cannot be undone.`,
      confirmed,
    )
    await client.registeredUsers.delete(found.id)
    return { text: `Deleted ${nameOf(found)} with all data.`, data: { id: found.id } }
  })

const nameOf = ({ origin_user_name, origin_user_id, id }: RegisteredUser): string =>
  printable(`${origin_user_name ?? origin_user_id} (${id})`)
