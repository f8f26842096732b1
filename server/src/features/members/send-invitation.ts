import type { Config } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import type { SignInLink } from './sign-in-links.ts'

/** Whether the mail server has accepted the message. A link that was not mailed is shown to be copied. */
export type SendInvitation = (person: { name: string; email: string }, link: SignInLink) => Promise<boolean>

/** nodemailer is loaded at the first message. */
export const createInvitationSender = ({
  mail,
  baseUrl,
  log,
}: {
  mail: Config['mail']
  baseUrl: string
  log: Log
}): SendInvitation => {
  if (!mail) return async () => false
  return async ({ name, email }, link) => {
    try {
      const { createTransport } = await import('nodemailer')
      const transport = createTransport(mail.url.reveal())
      await transport.sendMail({ from: mail.from, to: email, ...invitation(name, baseUrl, link) })
      transport.close()
      return true
    } catch (error) {
      log.warn({ error }, 'an invitation could not be sent; its link can be copied instead')
      return false
    }
  }
}

const invitation = (name: string, baseUrl: string, link: SignInLink) => ({
  subject: 'Sign in to Carabiner',
  text: [
    `Hello ${name},`,
    '',
    `open this link to sign in to Carabiner. It works once, until ${link.expiresAt.toUTCString()}:`,
    '',
    link.url.reveal(),
    '',
    `If you already have an account, sign in at ${baseUrl}/dashboard as usual. The invitation is shown there.`,
    '',
    'If you do not know what this is, you can ignore this message.',
  ].join('\n'),
})
