import type { LinkSession } from '@carabiner/sdk'

type Step = LinkSession['timeline'][number]
/** The name of a connector by its slug. */
type NameOf = (slug: string) => string

const STEPS: Record<Step['step'], string> = {
  minted: 'The link was created.',
  opened_by_scanner: 'A mail scanner or link preview opened the link. The link still works.',
  opened_by_person: 'A person opened the link.',
  chosen: 'A connector was chosen.',
  left: 'The person continued to the provider.',
  key_submitted: 'The person entered a key.',
  choosing_site: 'The account has several sites, and the person was asked to choose one.',
  choosing_account:
    'Another account was already connected, so the person was asked whether to replace it or add this one.',
  cancelled: 'The person canceled.',
  denied: 'The person did not allow access at the provider.',
  failed: 'The attempt failed.',
  code_issued: 'The provider approved. Your application must confirm the code within five minutes.',
  completed: 'The account was connected.',
  renewal_requested: 'The person asked for a new link.',
}

const REASONS: Record<string, string> = {
  provider_error: 'The provider returned an error.',
  provider_timeout: 'The provider did not answer in time.',
  provider_unavailable: 'The provider could not be reached.',
  exchange_failed:
    'The provider did not accept the OAuth app or the code. Test the OAuth app of the connector.',
  issuer_mismatch: 'The response came from an unexpected authorization server.',
  invalid_grant: 'The provider rejected the code. It may have been used twice or too late.',
  session_over: 'The link had expired or was already used when the person returned.',
  no_site: 'The account has no site that the connector can use.',
  connector_removed: 'The connector was removed, or the Tool Pack no longer contains it.',
  key_rejected: 'The provider did not accept the key.',
  key_check_unavailable: 'The provider could not be reached to check the key.',
  certificate_refused: 'The provider refused the client certificate.',
}

/** One step in plain words. */
export const describeStep = ({ step, reason, connector_slug }: Step, nameOf: NameOf): string => {
  const why = reason === null ? '' : ` ${REASONS[reason] ?? `Reason: ${reason}.`}`
  const what =
    step === 'chosen' && connector_slug !== null ? `The person chose ${nameOf(connector_slug)}.` : STEPS[step]
  return what + why
}

/** Whether a person has opened the link. Scanners and previews do not count. */
export const isOpened = ({ timeline }: LinkSession): boolean =>
  timeline.some(({ step }) => step !== 'minted' && step !== 'opened_by_scanner')

/** What became of the link, in one sentence. */
export const describeOutcome = ({ status, timeline }: LinkSession, nameOf: NameOf): string => {
  const last = timeline.findLast(({ step }) => step !== 'opened_by_scanner')
  switch (status) {
    case 'completed':
      return 'Connected.'
    case 'awaiting_confirmation':
      return 'Waiting for your application to confirm the account.'
    case 'ended':
      return 'Ended because the user was deactivated or deleted.'
    case 'open':
      return openWords(last, nameOf)
    case 'expired':
      return expiredWords(timeline, last, nameOf)
  }
}

const openWords = (last: Step | undefined, nameOf: NameOf): string => {
  if (!last || last.step === 'minted') return 'Nobody has opened the link yet.'
  if (last.step === 'cancelled' || last.step === 'denied' || last.step === 'failed')
    return `${describeStep(last, nameOf)} The link still works.`
  return 'Started but not finished.'
}

const expiredWords = (timeline: readonly Step[], last: Step | undefined, nameOf: NameOf): string => {
  if (!timeline.some(({ step }) => step === 'opened_by_person'))
    return 'Expired. Nobody opened the link within 30 minutes.'
  if (last?.step === 'left') return 'Expired. The person went to the provider and did not come back.'
  return last ? `Expired. ${describeStep(last, nameOf)}` : 'Expired.'
}
