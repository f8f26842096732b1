import type { Config } from './config.ts'

export type Mail = { subject: string; text: string }

/** Throws if the mail server does not accept the message. Null: no mail server is configured. */
export type SendMail = ((to: string, mail: Mail) => Promise<void>) | null

/** nodemailer is loaded at the first message. */
export const createMailSender = (mail: Config['mail']): SendMail => {
  if (!mail) return null
  return async (to, { subject, text }) => {
    const { createTransport } = await import('nodemailer')
    const transport = createTransport(mail.url.reveal())
    try {
      await transport.sendMail({ from: mail.from, to, subject, text })
    } finally {
      transport.close()
    }
  }
}
