import type { Config } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import type { SignInLink } from './sign-in-links.ts'

/** Whether the mail server has accepted the message. A link that was not mailed is shown to be copied. */
export type SendInvitation = (
  person: { name: string; email: string },
  link: SignInLink | null,
) => Promise<boolean>

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

const invitation = (name: string, baseUrl: string, link: SignInLink | null) => ({
  subject: 'Sign in to Carabiner',
  text: [
    `Hello ${name},`,
    '',
    link
      ? `open this link to sign in to Carabiner. It works once, until ${link.expiresAt.toUTCString()}:`
      : 'you were added to another organization in Carabiner. Sign in as usual:',
    '',
    link ? link.url.reveal() : `${baseUrl}/dashboard`,
    '',
    'If you do not know what this is, you can ignore this message.',
  ].join('\n'),
})
