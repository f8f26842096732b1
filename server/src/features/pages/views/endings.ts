import type { SafeHtml } from '@remix-run/html-template'
import { badge, ending, type Tone } from './ending-page.ts'
import type { IconName } from './icons.ts'
import { pair } from './layout.ts'
import type {
  ConnectorDisplay,
  FailureReason,
  FormTarget,
  Frame,
  KnownFrame,
  Outcome,
  RefusedReason,
} from './model.ts'
import { appHref as vettedAppHref, webHref } from './vetted-href.ts'
import { type Sentence, say } from './words/sentence.ts'

const nothingHappened = ({ words: { receipt } }: Frame): [Sentence, Sentence][] => [
  [receipt.data, receipt.untouched],
]

/** Where the person came from: the organization's page or app, or the My connections page. */
export type BackLink = { to: 'application' | 'connections'; href: string }

const returnAddress = ({ words, organization }: Frame, back: BackLink | null) =>
  back === null || !organization
    ? null
    : {
        href: /^https?:/.test(back.href) ? webHref(back.href) : vettedAppHref(back.href),
        text: back.to === 'connections' ? words.connections.back : words.connected.back(organization.name),
      }

export type ConnectedModel = {
  connector: ConnectorDisplay
  account: string | null
  back: BackLink | null
  /** Starts another connection, if one is offered. */
  another: FormTarget | null
}

export function connectedPage(frame: KnownFrame, model: ConnectedModel): SafeHtml {
  const { connector, account, back, another } = model
  const organization = frame.organization.name
  const { receipt, connected, done } = frame.words
  return ending(frame, {
    picture: pair(frame, connector, true),
    logoShown: true,
    title: connected.title(connector.name),
    lead: [connected.lead(organization)],
    receipt: [
      ...only(account, name => [receipt.account, say`${name}`]),
      ...only(frame.user?.name ?? null, name => [receipt.user, say`${name}`]),
      [receipt.usedBy, receipt.assistant(organization)],
      [receipt.hiddenFrom(organization), receipt.secrets],
      [receipt.undo, receipt.settings(organization)],
    ],
    button: returnAddress(frame, back),
    more: another && { form: another, text: connected.another },
    close: back === null ? done : null,
  })
}

const only = (name: string | null, row: (name: string) => [Sentence, Sentence]): [Sentence, Sentence][] =>
  name === null ? [] : [row(name)]

/** A code was issued; the application's backend has yet to confirm it. */
export const awaitingPage = (
  frame: KnownFrame,
  { connector }: { connector: ConnectorDisplay | null },
): SafeHtml =>
  ending(frame, {
    picture: badge(connector, 'calm', 'clock'),
    title: frame.words.connected.awaiting(frame.organization.name),
    lead: [frame.words.returning.signedIn(connector?.name ?? null)],
    receipt: [],
    button: null,
    close: null,
  })

export type ReturnToAppModel = {
  outcome: Outcome
  connector: ConnectorDisplay | null
  href: string
  /** The embedding page navigates: the script does it, with a button as the fallback. */
  framed: boolean
  /** For the preview, which does not redirect. */
  stays?: true
}

/** For a callback that an HTTP redirect cannot reach: the page redirects the browser, with a button as the fallback. */
export function returnToAppPage(frame: KnownFrame, model: ReturnToAppModel): SafeHtml {
  const { outcome, connector, href, framed, stays = false } = model
  const organization = frame.organization.name
  const { receipt, returning } = frame.words
  const { title, lead, signedIn, button, hint } = returning
  const name = connector?.name ?? null
  const target = vettedAppHref(href)
  return ending(frame, {
    picture: badge(connector, ...RETURN_BADGES[outcome]),
    title: title[outcome](organization, name),
    lead: [lead[outcome](organization)],
    receipt: outcome === 'success' ? [[receipt.data, signedIn(name)]] : nothingHappened(frame),
    button: { href: target, text: button, ...(framed && { target: '_top' as const }) },
    close: null,
    foot: hint,
    ...(!framed && !stays && { refresh: target }),
  })
}

const RETURN_BADGES: Record<Outcome, [Tone, IconName]> = {
  success: ['good', 'check'],
  exit: ['calm', 'close'],
  error: ['bad', 'bang'],
}

/** An expired link lets the person ask the organization for a new one; it never creates one itself. */
export function expiredPage(frame: Frame, { renew }: { renew: FormTarget | null }): SafeHtml {
  const { words, organization } = frame
  const { title, lead, ask } = words.expired
  const name = organization?.name ?? null
  return ending(frame, {
    picture: badge(null, 'warn', 'clock'),
    title,
    lead: [lead(name), ...(renew === null ? [words.askForNewLink(name)] : [])],
    receipt: nothingHappened(frame),
    button: renew === null || !organization ? null : { form: renew, text: ask(organization.name) },
    contact: true,
    close: words.close,
  })
}

/** A link that was ended before it expired, for example because the organization has changed how it links accounts. */
export function withdrawnPage(frame: Frame, { renew }: { renew: FormTarget | null }): SafeHtml {
  const { words, organization } = frame
  const { title, lead } = words.withdrawn
  return ending(frame, {
    picture: badge(null, 'warn', 'close'),
    title,
    lead: [lead, ...(renew === null ? [words.askForNewLink(organization?.name ?? null)] : [])],
    receipt: nothingHappened(frame),
    button:
      renew === null || !organization ? null : { form: renew, text: words.expired.ask(organization.name) },
    contact: true,
    close: words.close,
  })
}

export function renewalRequestedPage(frame: KnownFrame): SafeHtml {
  const { askedTitle, askedLead } = frame.words.expired
  return ending(frame, {
    picture: badge(null, 'good', 'check'),
    title: askedTitle,
    lead: [askedLead(frame.organization.name)],
    receipt: nothingHappened(frame),
    button: null,
    contact: true,
    close: frame.words.close,
  })
}

export type UsedModel = {
  /** The connector that the link was used for, if it was or may still be connected. */
  connector: ConnectorDisplay | null
  /** The application has not confirmed the code yet, so nothing is connected. */
  isUnconfirmed?: boolean
  renew: FormTarget | null
}

export function usedPage(frame: Frame, { connector, isUnconfirmed = false, renew }: UsedModel): SafeHtml {
  const { words, organization } = frame
  const name = organization?.name ?? null
  const lead =
    connector && isUnconfirmed
      ? words.used.unconfirmed(connector.name)
      : words.used.lead(connector?.name ?? null)
  return ending(frame, {
    picture: badge(connector, 'calm', connector && !isUnconfirmed ? 'check' : 'link'),
    title: words.used.title,
    lead: [lead, ...(renew === null ? [words.askForNewLink(name)] : [])],
    receipt: [[words.receipt.data, words.receipt.unchanged]],
    button: renew === null || name === null ? null : { form: renew, text: words.expired.ask(name) },
    contact: true,
    close: words.close,
  })
}

export type CancelledModel = {
  connector: ConnectorDisplay | null
  retryHref: string | null
  back: BackLink | null
  unexpected: boolean
}

/** A person who did not expect the request is not offered a retry. */
export function cancelledPage(frame: Frame, model: CancelledModel): SafeHtml {
  const { connector, retryHref, back, unexpected } = model
  const { title, lead, unexpectedTitle, unexpectedLead } = frame.words.cancelled
  return ending(frame, {
    picture: badge(connector, 'calm', unexpected ? 'hand' : 'close'),
    title: unexpected ? unexpectedTitle : title,
    lead: [unexpected ? unexpectedLead(frame.organization?.name ?? null) : lead(connector?.name ?? null)],
    receipt: nothingHappened(frame),
    button: unexpected ? null : retry(frame, retryHref),
    beside: unexpected ? null : returnAddress(frame, back),
    contact: unexpected,
    close: back === null || unexpected ? frame.words.close : null,
  })
}

export type FailedModel = {
  connector: ConnectorDisplay | null
  reason: FailureReason
  retryHref: string | null
  back: BackLink | null
}

export function failedPage(frame: Frame, { connector, reason, retryHref, back }: FailedModel): SafeHtml {
  const { words } = frame
  const organization = frame.organization?.name ?? null
  const { title, reason: reasons, giveUp } = words.failed
  const next = reason === 'session_expired' ? words.askForNewLink : giveUp
  return ending(frame, {
    picture: badge(connector, 'bad', 'bang'),
    title: title(connector?.name ?? null),
    lead: [reasons[reason](connector?.name ?? words.someService), next(organization)],
    receipt: nothingHappened(frame),
    button: retry(frame, retryHref),
    beside: returnAddress(frame, back),
    contact: true,
    close: back === null ? words.close : null,
  })
}

const retry = ({ words }: Frame, href: string | null) =>
  href === null ? null : { href: webHref(href), text: words.tryAgain }

export type RefusedModel = {
  reason: RefusedReason
  retryHref?: string | null
  /** Of a sign-in: the client that waits for the person, with a form or an address that leads back to it. */
  client?: RefusedClient | null
}
/** `host`: null for an application on the person's device. */
export type RefusedClient = { name: string; host: string | null; back: FormTarget | { href: string } }

export function refusedPage(
  frame: Frame,
  { reason, retryHref = null, client = null }: RefusedModel,
): SafeHtml {
  const { title, lead } = frame.words.refused[reason]
  return ending(frame, {
    picture: badge(null, ...REFUSED_BADGES[reason]),
    title,
    lead: [lead(frame.organization?.name ?? null)],
    receipt: client ? clientFacts(frame, client) : nothingHappened(frame),
    button: client ? backToClient(frame, client) : retry(frame, retryHref),
    contact: true,
    close: client ? null : frame.words.close,
  })
}

const clientFacts = ({ words: { signIn } }: Frame, { name, host }: RefusedClient): [Sentence, Sentence][] => [
  [signIn.client, say`${name}`],
  [signIn.returnsTo, host === null ? signIn.thisDevice : say`${host}`],
]

const backToClient = ({ words }: Frame, { back }: RefusedClient) => {
  const text = words.returning.button
  if ('action' in back) return { form: back, text }
  return { href: /^https?:/.test(back.href) ? webHref(back.href) : vettedAppHref(back.href), text }
}

const REFUSED_BADGES: Record<RefusedReason, [Tone, IconName]> = {
  invalid_link: ['warn', 'link'],
  user_inactive: ['calm', 'pause'],
  unauthorized_origin: ['bad', 'shield'],
  other_browser: ['calm', 'browser'],
  opened_elsewhere: ['warn', 'browser'],
  cookies_blocked: ['warn', 'cookie'],
  too_many_requests: ['warn', 'clock'],
  connector_gone: ['calm', 'link'],
  unavailable: ['calm', 'pause'],
  organization_moving: ['calm', 'clock'],
  wrong_cell: ['warn', 'link'],
  organization_suspended: ['calm', 'pause'],
  sign_in_invalid: ['warn', 'clock'],
  sign_in_not_allowed: ['bad', 'shield'],
  sign_in_unmatched: ['warn', 'shield'],
  sign_in_email_unverified: ['warn', 'shield'],
  sign_in_denied: ['calm', 'close'],
  sign_in_failed: ['bad', 'bang'],
  approval_invalid: ['warn', 'link'],
  approval_of_another_user: ['bad', 'shield'],
}
