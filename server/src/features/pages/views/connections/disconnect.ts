import type { SafeHtml } from '@remix-run/html-template'
import { badge, ending, type Tone } from '../ending-page.ts'
import type { IconName } from '../icons.ts'
import type { ConnectorDisplay, FormTarget, KnownFrame, RevocationState } from '../model.ts'
import { ownPath } from '../vetted-href.ts'
import { type Sentence, say } from '../words/sentence.ts'

type DisconnectModel = { connector: ConnectorDisplay; account: string | null }

const accountRow = ({ words }: KnownFrame, account: string | null): [Sentence, Sentence][] =>
  account === null ? [] : [[words.receipt.account, say`${account}`]]

export function confirmDisconnectPage(
  frame: KnownFrame,
  {
    connector,
    account,
    disconnect,
    backHref,
  }: DisconnectModel & { disconnect: FormTarget; backHref: string },
): SafeHtml {
  const { confirmTitle, confirmLead, disconnect: label, keep } = frame.words.connections
  return ending(frame, {
    picture: badge(connector, 'warn', 'bang'),
    title: confirmTitle(connector.name),
    lead: [confirmLead(frame.organization.name, connector.name)],
    receipt: accountRow(frame, account),
    button: { form: disconnect, text: label },
    beside: { href: ownPath(backHref), text: keep },
    close: null,
  })
}

/** A provider that did not confirm leaves something to do for the user. */
const BADGES: Record<RevocationState, [Tone, IconName]> = {
  pending: ['calm', 'clock'],
  revoked: ['good', 'check'],
  not_supported: ['warn', 'bang'],
  kept_shared: ['warn', 'bang'],
  gave_up: ['warn', 'bang'],
}

export type DisconnectedModel = DisconnectModel & {
  /** Null if there is no receipt any more. */
  revocation: RevocationState | null
  backHref: string
  /** The page itself, while the provider has not answered. */
  checkHref: string
}

/** The receipt of a disconnected account: what was deleted here, and what the provider confirmed. */
export function disconnectedPage(frame: KnownFrame, model: DisconnectedModel): SafeHtml {
  const { connector, account, revocation, backHref, checkHref } = model
  const texts = frame.words.connections
  return ending(frame, {
    picture: badge(connector, ...(revocation === null ? BADGES.revoked : BADGES[revocation])),
    title: texts.doneTitle(connector.name),
    lead: [texts.doneLead(frame.organization.name)],
    receipt: [
      ...accountRow(frame, account),
      [texts.stored, texts.deleted],
      ...(revocation === null
        ? []
        : [
            [texts.atProvider(connector.name), texts.revocation[revocation](connector.name)] as [
              Sentence,
              Sentence,
            ],
          ]),
    ],
    button: { href: ownPath(backHref), text: texts.back },
    beside: revocation === 'pending' ? { href: ownPath(checkHref), text: texts.checkAgain } : null,
    close: null,
  })
}
