import { type CliContext, CommandError, type Output, UsageError } from '@carabiner/cli'
import type { Role } from '@carabiner/contract/permissions'
import { addPerson, openVaultFor, organizationStore, readConfig } from '@carabiner/server/operator'
import { recordCommand } from '../database/record-command.ts'
import { withMigrated } from '../database/with-database.ts'

const SERVICE = '00000000-0000-0000-0000-000000000000'
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

export type InviteOptions = {
  organization?: string
  role: Role
  operator?: boolean
  name?: string
}

/** `carabiner people invite EMAIL`: a link that signs a person in once, also for a lost password or second factor. */
export const invitePerson = async (
  { environment }: Pick<CliContext, 'environment'>,
  email: string,
  { role, ...values }: InviteOptions,
): Promise<Output> => {
  if (!EMAIL.test(email)) throw new UsageError(`"${email}" is not an email address.`)
  if (!values.organization && !values.operator)
    throw new UsageError('Use --organization, --operator, or both.')
  const config = readConfig(environment)
  return withMigrated(config, async db => {
    const id = values.organization
    const organization = id && /^[0-9a-f-]{36}$/i.test(id) ? await organizationStore.find(db, id) : null
    if (id && !organization)
      throw new CommandError(`There is no organization ${id}. See \`carabiner org list\`.`)
    const vault = await openVaultFor(config, db)
    const { personId, link } = await recordCommand(
      { db, vault },
      {
        organizationId: organization?.id ?? SERVICE,
        command: 'people invite',
        action: 'person.invited',
        describe: invited => ({
          target: { type: 'person', id: invited.personId },
          changes: [
            ...(organization ? [{ field: 'role', to: role }] : []),
            ...(values.operator ? [{ field: 'is_operator', to: true }] : []),
          ],
        }),
      },
      () =>
        addPerson(
          { db, baseUrl: config.baseUrl },
          {
            email,
            name: values.name?.trim() || undefined,
            isOperator: values.operator ?? false,
            membership: organization ? { organizationId: organization.id, role } : undefined,
          },
        ),
    )
    const what = [
      ...(organization ? [`${role} of ${organization.name}`] : []),
      ...(values.operator ? ['operator of this installation'] : []),
    ].join(' and ')
    return {
      text: [
        `${email} is ${what}. This link signs in once, until ${link.expiresAt.toISOString()}:`,
        '',
        `  ${link.url.reveal()}`,
      ].join('\n'),
      data: { id: personId, email, sign_in_url: link.url.reveal(), expires_at: link.expiresAt },
    }
  })
}
