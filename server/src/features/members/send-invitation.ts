import type { Log } from '../../platform/log.ts'
import type { SendMail } from '../../platform/send-mail.ts'
import type { MemberSignInLink } from './member-sign-in-links.ts'

/** Whether the mail server has accepted the message. A link that was not mailed is shown to be copied. */
export type SendInvitation = (
  person: { name: string; email: string },
  link: MemberSignInLink,
) => Promise<boolean>

export const createInvitationSender = ({
  sendMail,
  baseUrl,
  log,
}: {
  sendMail: SendMail
  baseUrl: string
  log: Log
}): SendInvitation => {
  if (!sendMail) return async () => false
  return async ({ name, email }, link) => {
    try {
      await sendMail(email, invitation(name, baseUrl, link))
      return true
    } catch (error) {
      log.warn({ error }, 'an invitation could not be sent; its link can be copied instead')
      return false
    }
  }
}

const invitation = (name: string, baseUrl: string, link: MemberSignInLink) => ({
  subject: 'Sign in to Carabiner',
  text: [
    `Hello ${name},`,
    '',
    `Open this link to sign in to Carabiner. It works once, until ${link.expiresAt.toUTCString()}:`,
    '',
    link.url.reveal(),
    '',
    `If you already have an account, sign in at ${baseUrl}/dashboard as usual. The invitation is shown there.`,
    '',
    'If you did not expect this email, you can ignore it.',
  ].join('\n'),
})
