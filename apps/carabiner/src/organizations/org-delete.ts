import type { ProgressReporter } from '@carabiner/cli'
import { CommandError, type Output } from '@carabiner/cli'
import {
  countLinkedAccounts,
  deleteOrganization,
  describeDeletion,
  organizationStore,
  SERVICE_CHAIN,
} from '@carabiner/server/operator'
import { recordCommand } from '../database/record-command.ts'
import type { OrganizationContext } from './org-archive.ts'

export type DeleteOptions = { confirm?: string | undefined; revoke?: boolean | undefined }

export const deleteOrg = async (
  context: OrganizationContext,
  id: string,
  { confirm, revoke = false }: DeleteOptions,
  report: ProgressReporter['report'],
): Promise<Output> => {
  const { db } = context
  const organization = await organizationStore.find(db, id)
  if (organization && confirm !== organization.name)
    throw new CommandError(
      `This deletes ${organization.name} (${id}) with all of its data. To confirm, add --confirm ${JSON.stringify(organization.name)}.`,
    )
  const changes = await describeDeletion(db, id, organization?.name)
  const linked = organization ? await countLinkedAccounts(db, id) : 0
  const rows = await recordCommand(
    context,
    {
      organizationId: SERVICE_CHAIN,
      command: 'org delete',
      action: 'organization.deleted',
      describe: () => ({
        target: { type: 'organization', id },
        changes,
      }),
    },
    () =>
      deleteOrganization(db, id, {
        revokes: revoke,
        onProgress: report,
        onPendingRevocations: pending => report({ pendingRevocations: pending }),
      }),
  )
  return {
    text: [
      `Deleted ${organization?.name ?? id}: ${rows} rows.`,
      ...(linked > 0 && !revoke
        ? [
            `The tokens of ${linked} linked accounts were not revoked at their providers. They are no longer stored here, and stay valid there until they expire or the account's owner removes the access.`,
          ]
        : []),
    ].join('\n'),
    data: { id, rows, tokens_not_revoked: revoke ? 0 : linked },
  }
}
