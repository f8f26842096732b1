import type { LinkSession } from '@carabiner/sdk'

type Step = LinkSession['timeline'][number]

const STEPS: Record<Step['step'], string> = {
  minted: 'The link was created.',
  opened_by_scanner: 'A mail scanner or preview opened the link. This uses nothing up.',
  opened_by_person: 'A person opened the link.',
  chosen: 'A connector was chosen.',
  left: 'The person continued to the provider.',
  key_submitted: 'The person entered a key.',
  choosing_site: 'The account has several sites, and the person was asked to choose one.',
  choosing_account:
    'Another account is connected already, and the person was asked to replace it or to add this one.',
  cancelled: 'The person cancelled.',
  denied: 'The person did not allow access at the provider.',
  failed: 'The attempt failed.',
  code_issued: 'The provider agreed. Your application has to confirm the code within five minutes.',
  completed: 'The account was connected.',
  renewal_requested: 'The person asked for a new link.',
}

const REASONS: Record<string, string> = {
  provider_error: 'The provider answered with an error.',
  provider_timeout: 'The provider did not answer in time.',
  provider_unavailable: 'The provider could not be reached.',
  exchange_failed:
    'The provider did not accept the OAuth app or the code. Test the OAuth app of the connector.',
  issuer_mismatch: 'The answer came from another authorization server than expected.',
  invalid_grant: 'The provider rejected the code. It may have been used twice or too late.',
  session_over: 'The link had expired or was used already when the person returned.',
  no_site: 'The account has no site that the connector can use.',
  connector_removed: 'The connector was removed, or the Tool Pack no longer contains it.',
  key_rejected: 'The provider did not accept the key.',
  key_check_unavailable: 'The provider could not be reached to check the key.',
}

/** One step in plain words. */
export const describeStep = ({ step, reason, connector_slug }: Step): string => {
  const why = reason === null ? '' : ` ${REASONS[reason] ?? `Reason: ${reason}.`}`
  const what =
    step === 'chosen' && connector_slug !== null ? `The person chose ${connector_slug}.` : STEPS[step]
  return what + why
}

/** What became of the link, in one sentence. */
export const describeOutcome = ({ status, timeline }: LinkSession): string => {
  const last = timeline.findLast(({ step }) => step !== 'opened_by_scanner')
  switch (status) {
    case 'completed':
      return 'Connected.'
    case 'awaiting_confirmation':
      return 'The account waits for the confirmation of your application.'
    case 'ended':
      return 'Ended, because the user was deactivated or deleted.'
    case 'open':
      return openWords(last)
    case 'expired':
      return expiredWords(timeline, last)
  }
}

const openWords = (last: Step | undefined): string => {
  if (!last || last.step === 'minted') return 'Nobody has opened the link yet.'
  if (last.step === 'cancelled' || last.step === 'denied' || last.step === 'failed')
    return `${describeStep(last)} The link still works.`
  return 'Started, and not finished yet.'
}

const expiredWords = (timeline: readonly Step[], last: Step | undefined): string => {
  if (!timeline.some(({ step }) => step === 'opened_by_person'))
    return 'Expired. Nobody opened the link in 30 minutes.'
  if (last?.step === 'left') return 'Expired. The person went to the provider and did not come back.'
  return last ? `Expired. ${describeStep(last)}` : 'Expired.'
}
