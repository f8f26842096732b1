import type { SafeHtml } from '@remix-run/html-template'
import { ending, seal, type Tone } from './ending.ts'
import type { IconName } from './icons.ts'
import { pair } from './layout.ts'
import type {
  ConnectorFace,
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

/** A page or app of the organization's own to go on to. */
const wayBack = ({ words, organization }: Frame, href: string | null) =>
  href === null || !organization
    ? null
    : {
        href: /^https?:/.test(href) ? webHref(href) : vettedAppHref(href),
        text: words.connected.back(organization.name),
      }

export type ConnectedModel = {
  connector: ConnectorFace
  account: string | null
  backHref: string | null
  /** Starts the next connection, where one is offered. */
  another: FormTarget | null
}

export function connectedPage(frame: KnownFrame, model: ConnectedModel): SafeHtml {
  const { connector, account, backHref, another } = model
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
    button: wayBack(frame, backHref),
    more: another && { form: another, text: connected.another },
    close: backHref === null ? done : null,
  })
}

const only = (name: string | null, row: (name: string) => [Sentence, Sentence]): [Sentence, Sentence][] =>
  name === null ? [] : [row(name)]

/** A code went out, and the application's backend has the last word. */
export const awaitingPage = (
  frame: KnownFrame,
  { connector }: { connector: ConnectorFace | null },
): SafeHtml =>
  ending(frame, {
    picture: seal(connector, 'calm', 'clock'),
    title: frame.words.connected.awaiting(frame.organization.name),
    lead: [frame.words.returning.signedIn(connector?.name ?? null)],
    receipt: [],
    button: null,
    close: null,
  })

export type ReturnToAppModel = {
  outcome: Outcome
  connector: ConnectorFace | null
  href: string
  /** The page around this frame is what leaves: the script does it, and a button stays for when it may not. */
  framed: boolean
  /** In the preview, which leads nowhere. */
  stays?: true
}

/** For a callback that a redirect cannot reach: the browser is sent there, and a button stays for when it refuses. */
export function returnToAppPage(frame: KnownFrame, model: ReturnToAppModel): SafeHtml {
  const { outcome, connector, href, framed, stays = false } = model
  const organization = frame.organization.name
  const { receipt, returning } = frame.words
  const { title, lead, signedIn, button, hint } = returning
  const name = connector?.name ?? null
  const target = vettedAppHref(href)
  return ending(frame, {
    picture: seal(connector, ...RETURN_SEALS[outcome]),
    title: title[outcome](organization, name),
    lead: [lead[outcome](organization)],
    receipt: outcome === 'success' ? [[receipt.data, signedIn(name)]] : nothingHappened(frame),
    button: { href: target, text: button, ...(framed && { target: '_top' as const }) },
    close: null,
    foot: hint,
    ...(!framed && !stays && { refresh: target }),
  })
}

const RETURN_SEALS: Record<Outcome, [Tone, IconName]> = {
  success: ['good', 'check'],
  exit: ['calm', 'close'],
  error: ['bad', 'bang'],
}

/** A link that ran out heals by a word to the organization; it never makes another by itself. */
export function expiredPage(frame: Frame, { renew }: { renew: FormTarget | null }): SafeHtml {
  const { words, organization } = frame
  const { title, lead, ask } = words.expired
  const name = organization?.name ?? null
  return ending(frame, {
    picture: seal(null, 'warn', 'clock'),
    title,
    lead: [lead(name), ...(renew === null ? [words.askForNewLink(name)] : [])],
    receipt: nothingHappened(frame),
    button: renew === null || !organization ? null : { form: renew, text: ask(organization.name) },
    contact: true,
    close: words.close,
  })
}

export function renewalAskedPage(frame: KnownFrame): SafeHtml {
  const { askedTitle, askedLead } = frame.words.expired
  return ending(frame, {
    picture: seal(null, 'good', 'check'),
    title: askedTitle,
    lead: [askedLead(frame.organization.name)],
    receipt: nothingHappened(frame),
    button: null,
    contact: true,
    close: frame.words.close,
  })
}

export type UsedModel = {
  /** What the link was used for, where a connection came of it or may still come. */
  connector: ConnectorFace | null
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
    picture: seal(connector, 'calm', connector && !isUnconfirmed ? 'check' : 'link'),
    title: words.used.title,
    lead: [lead, ...(renew === null ? [words.askForNewLink(name)] : [])],
    receipt: [[words.receipt.data, words.receipt.unchanged]],
    button: renew === null || name === null ? null : { form: renew, text: words.expired.ask(name) },
    contact: true,
    close: words.close,
  })
}

export type CancelledModel = {
  connector: ConnectorFace | null
  retryHref: string | null
  backHref: string | null
  unexpected: boolean
}

/** Someone who did not expect the request is not invited to try it again. */
export function cancelledPage(frame: Frame, model: CancelledModel): SafeHtml {
  const { connector, retryHref, backHref, unexpected } = model
  const { title, lead, unexpectedTitle, unexpectedLead } = frame.words.cancelled
  return ending(frame, {
    picture: seal(connector, 'calm', unexpected ? 'hand' : 'close'),
    title: unexpected ? unexpectedTitle : title,
    lead: [unexpected ? unexpectedLead(frame.organization?.name ?? null) : lead(connector?.name ?? null)],
    receipt: nothingHappened(frame),
    button: unexpected ? null : retry(frame, retryHref),
    beside: unexpected ? null : wayBack(frame, backHref),
    contact: unexpected,
    close: backHref === null || unexpected ? frame.words.close : null,
  })
}

export type FailedModel = {
  connector: ConnectorFace | null
  reason: FailureReason
  retryHref: string | null
  backHref: string | null
}

export function failedPage(frame: Frame, { connector, reason, retryHref, backHref }: FailedModel): SafeHtml {
  const { words } = frame
  const organization = frame.organization?.name ?? null
  const { title, reason: reasons, giveUp } = words.failed
  const next = reason === 'session_expired' ? words.askForNewLink : giveUp
  return ending(frame, {
    picture: seal(connector, 'bad', 'bang'),
    title: title(connector?.name ?? null),
    lead: [reasons[reason](connector?.name ?? words.someService), next(organization)],
    receipt: nothingHappened(frame),
    button: retry(frame, retryHref),
    beside: wayBack(frame, backHref),
    contact: true,
    close: backHref === null ? words.close : null,
  })
}

const retry = ({ words }: Frame, href: string | null) =>
  href === null ? null : { href: webHref(href), text: words.tryAgain }

export function refusedPage(frame: Frame, { reason }: { reason: RefusedReason }): SafeHtml {
  const { title, lead } = frame.words.refused[reason]
  return ending(frame, {
    picture: seal(null, ...REFUSED_SEALS[reason]),
    title,
    lead: [lead(frame.organization?.name ?? null)],
    receipt: nothingHappened(frame),
    button: null,
    contact: true,
    close: frame.words.close,
  })
}

const REFUSED_SEALS: Record<RefusedReason, [Tone, IconName]> = {
  invalid_link: ['warn', 'link'],
  user_inactive: ['calm', 'pause'],
  unauthorized_origin: ['bad', 'shield'],
  other_browser: ['calm', 'browser'],
  cookies_blocked: ['warn', 'cookie'],
  too_many_requests: ['warn', 'clock'],
  connector_gone: ['calm', 'link'],
  unavailable: ['calm', 'pause'],
}
