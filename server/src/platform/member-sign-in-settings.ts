import { isLoopbackHost } from '@carabiner/contract/loopback'
import type { Secret } from '../core/secret.ts'

export type SingleSignOnSettings = {
  name: string
  issuer: string
  clientId: string
  clientSecret: Secret
  /** Whether an address counts as verified although the provider does not say so. */
  trustsEmail: boolean
}
export type MailSettings = { url: Secret; from: string }

type Reader = {
  setting: (name: string) => string | undefined
  secret: (name: string) => Secret | undefined
  problems: string[]
}

export const readSingleSignOn = (
  { setting, secret, problems }: Reader,
  development: boolean,
): SingleSignOnSettings | undefined => {
  const issuer = setting('SSO_ISSUER')
  const clientId = setting('SSO_CLIENT_ID')
  const clientSecret = secret('SSO_CLIENT_SECRET')
  if (!issuer && !clientId && !clientSecret) return undefined
  if (!issuer || !clientId || !clientSecret) {
    problems.push('SSO_ISSUER, SSO_CLIENT_ID and SSO_CLIENT_SECRET must be set together.')
    return undefined
  }
  const url = URL.canParse(issuer) ? new URL(issuer) : null
  const mayBePlain = development && url !== null && isLoopbackHost(url.hostname)
  if (url?.protocol !== 'https:' && !mayBePlain)
    problems.push(`SSO_ISSUER must be an https address, not "${issuer}".`)
  const trust = setting('SSO_TRUST_EMAIL')
  if (trust !== undefined && trust !== 'yes' && trust !== 'no')
    problems.push(`SSO_TRUST_EMAIL must be yes or no, not "${trust}".`)
  return {
    name: setting('SSO_NAME') ?? 'single sign-on',
    issuer,
    clientId,
    clientSecret,
    trustsEmail: trust === 'yes',
  }
}

export const readMail = ({ setting, secret, problems }: Reader): MailSettings | undefined => {
  const from = setting('MAIL_FROM')
  const url = secret('SMTP_URL')
  if (!from && !url) return undefined
  if (!from || !url) {
    problems.push('SMTP_URL and MAIL_FROM must be set together.')
    return undefined
  }
  if (!/^smtps?:\/\/[^/]+/.test(url.reveal()))
    problems.push('SMTP_URL must be an address such as smtps://user:password@mail.example.com.')
  return { url, from }
}
