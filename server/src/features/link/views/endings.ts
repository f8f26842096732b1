import type { SafeHtml } from '@remix-run/html-template'
import { ending, seal, type Tone } from './ending.ts'
import type { IconName } from './icons.ts'
import { pair } from './layout.ts'
import type { ConnectorFace, FailureReason, Frame, KnownFrame, Outcome, RefusedReason } from './model.ts'
import { type Sentence, say } from './sentence.ts'
import { appHref as vettedAppHref, webHref } from './vetted-href.ts'
import { words } from './words.ts'

const NOTHING_HAPPENED: [Sentence, Sentence][] = [[words.receipt.data, words.receipt.untouched]]

export type ConnectedModel = { connector: ConnectorFace; account: string | null; appHref: string | null }

export function connectedPage(frame: KnownFrame, { connector, account, appHref }: ConnectedModel): SafeHtml {
  const organization = frame.organization.name
  const { receipt, connected } = words
  return ending(frame, {
    picture: pair(organization, connector, true),
    title: connected.title(connector.name),
    lead: [connected.lead(organization)],
    receipt: [
      ...only(account, name => [receipt.account, say`${name}`]),
      ...only(frame.user?.name ?? null, name => [receipt.user, say`${name}`]),
      [receipt.usedBy, receipt.assistant(organization)],
      [receipt.neverSeen, receipt.secrets],
      [receipt.undo, receipt.settings(organization)],
    ],
    button: appHref === null ? null : { href: webHref(appHref), text: connected.back(organization) },
    foot: words.youMayClose,
  })
}

const only = (name: string | null, row: (name: string) => [Sentence, Sentence]): [Sentence, Sentence][] =>
  name === null ? [] : [row(name)]

export type ReturnToAppModel = { outcome: Outcome; connector: ConnectorFace | null; href: string }

/** For a callback that only another program can open: the browser is sent there, and a button stays for when it refuses. */
export function returnToAppPage(frame: KnownFrame, { outcome, connector, href }: ReturnToAppModel): SafeHtml {
  const organization = frame.organization.name
  const { title, lead, signedIn, button, hint } = words.returning
  const name = connector?.name ?? null
  const target = vettedAppHref(href)
  return ending(frame, {
    picture: seal(connector, ...RETURN_SEALS[outcome]),
    title: title[outcome](organization, name),
    lead: [lead[outcome](organization)],
    receipt: outcome === 'success' ? [[words.receipt.data, signedIn(name)]] : NOTHING_HAPPENED,
    button: { href: target, text: button },
    foot: hint,
    refresh: target,
  })
}

const RETURN_SEALS: Record<Outcome, [Tone, IconName]> = {
  success: ['good', 'check'],
  exit: ['calm', 'close'],
  error: ['bad', 'bang'],
}

export const expiredPage = (frame: Frame): SafeHtml =>
  ending(frame, {
    picture: seal(null, 'warn', 'clock'),
    title: words.expired.title,
    lead: [words.expired.lead, words.askForNewLink(frame.organization?.name ?? null)],
    receipt: NOTHING_HAPPENED,
    button: null,
    foot: words.youMayClose,
  })

export const usedPage = (frame: Frame, { connector }: { connector: ConnectorFace | null }): SafeHtml =>
  ending(frame, {
    picture: seal(connector, 'calm', connector ? 'check' : 'link'),
    title: words.used.title,
    lead: [words.used.lead(connector?.name ?? null), words.askForNewLink(frame.organization?.name ?? null)],
    receipt: [[words.receipt.data, words.receipt.unchanged]],
    button: null,
    foot: words.youMayClose,
  })

export type CancelledModel = {
  connector: ConnectorFace | null
  retryHref: string | null
  unexpected: boolean
}

/** Someone who did not expect the request is not invited to try it again. */
export function cancelledPage(frame: Frame, { connector, retryHref, unexpected }: CancelledModel): SafeHtml {
  const { title, lead, unexpectedTitle, unexpectedLead } = words.cancelled
  return ending(frame, {
    picture: seal(connector, 'calm', unexpected ? 'hand' : 'close'),
    title: unexpected ? unexpectedTitle : title,
    lead: [unexpected ? unexpectedLead(frame.organization?.name ?? null) : lead(connector?.name ?? null)],
    receipt: NOTHING_HAPPENED,
    button: unexpected ? null : retry(retryHref),
    foot: words.youMayClose,
  })
}

export type FailedModel = { connector: ConnectorFace | null; reason: FailureReason; retryHref: string | null }

export function failedPage(frame: Frame, { connector, reason, retryHref }: FailedModel): SafeHtml {
  const organization = frame.organization?.name ?? null
  const { title, reason: reasons, giveUp } = words.failed
  const next = reason === 'session_expired' ? words.askForNewLink : giveUp
  return ending(frame, {
    picture: seal(connector, 'bad', 'bang'),
    title: title(connector?.name ?? null),
    lead: [reasons[reason](connector?.name ?? words.someService), next(organization)],
    receipt: NOTHING_HAPPENED,
    button: retry(retryHref),
    foot: retryHref === null ? words.youMayClose : null,
  })
}

const retry = (href: string | null) => (href === null ? null : { href: webHref(href), text: words.tryAgain })

export function refusedPage(frame: Frame, { reason }: { reason: RefusedReason }): SafeHtml {
  const { title, lead } = words.refused[reason]
  return ending(frame, {
    picture: seal(null, ...REFUSED_SEALS[reason]),
    title,
    lead: [lead(frame.organization?.name ?? null)],
    receipt: NOTHING_HAPPENED,
    button: null,
    foot: null,
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
