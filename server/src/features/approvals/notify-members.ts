import type { Mode } from '../../core/mode.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Mail, SendMail } from '../../platform/send-mail.ts'
import { approvalsUrl } from './approval-address.ts'
import { approvalStore } from './approval-store.ts'

type Deps = { db: Database; sendMail: SendMail; baseUrl: string; log: Log }

/**
 * Tells the members who can decide that calls wait for them. The message says nothing about the calls, and its link decides nothing: members sign in. An
 * organization’s calls within ten minutes are one message.
 */
export const notifyMembers = async ({ db, sendMail, baseUrl, log }: Deps): Promise<void> => {
  if (!sendMail) return
  const waiting = Object.groupBy(
    await approvalStore.takeUnnotified(db),
    ({ organizationId, mode }) => `${organizationId} ${mode}`,
  )
  for (const [first, ...others] of Object.values(waiting).filter(calls => calls !== undefined)) {
    if (!first) continue
    const { organizationId, mode } = first
    const people = await approvalStore.findMembersToNotify(db, organizationId)
    const results = await Promise.allSettled(
      people.map(person =>
        sendMail(
          person.email,
          mailTo(person, 1 + others.length, approvalsUrl(baseUrl, { organizationId, mode })),
        ),
      ),
    )
    const failed = results.filter(({ status }) => status === 'rejected')
    if (failed.length > 0)
      log.warn(
        { error: failed[0], organization_id: organizationId, failed: failed.length },
        'members could not be told that calls wait for them',
      )
  }
}

export type Notified = { organizationId: string; mode: Mode }

const mailTo = (
  { name, organizationName }: { name: string; organizationName: string },
  count: number,
  url: string,
): Mail => {
  const calls = count === 1 ? 'A call waits' : `${count} calls wait`
  return {
    subject: `${calls} for approval at ${organizationName}`,
    text: [
      `Hello ${name},`,
      '',
      `${calls} for the approval of a member of ${organizationName}. Sign in to see what would be done, and decide:`,
      '',
      url,
      '',
      'Calls that nobody decides about are not made.',
    ].join('\n'),
  }
}
