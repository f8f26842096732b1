import { stem } from './tokenize.ts'

/**
 * Words that people use for the same thing, one group per line. They are general English and the usual terms of office software, not
 * taken from particular requests.
 */
const GROUPS = `
  create add new make write draft open
  update change edit modify set adjust correct rename
  delete remove trash discard erase drop wipe clear
  restore recover undo untrash
  search find look query locate lookup
  list show see view display overview
  get read fetch open show view
  send post deliver share
  email mail message inbox
  message dm chat text note
  sms text
  meeting event appointment call calendar
  calendar schedule agenda
  reschedule move postpone shift
  busy free availability available slot
  ticket issue bug request case
  task todo reminder item
  remind reminder nudge
  complete finish done close resolve
  cancel void end stop withdraw revoke
  acknowledge ack
  repository repo codebase
  commit history change
  pipeline build workflow ci deploy run
  deployment deploy release rollout
  document doc page file article
  spreadsheet sheet excel
  row record entry
  cell value range
  folder directory
  file attachment
  person people user member colleague teammate contact employee staff
  customer client buyer account
  vendor supplier
  company organization business firm
  deal opportunity lead prospect
  invoice bill receipt
  unpaid overdue outstanding owe due
  dispute chargeback
  payment charge transaction
  refund reimburse
  product item article goods
  inventory stock
  order purchase sale
  subscription plan
  comment reply feedback remark
  reply answer respond
  forward redirect
  reaction emoji
  approve accept review
  pull pr
  merge mr
  version revision
  assign owner responsible
  priority urgency
  channel room
  conversation thread discussion
  group team
  recording video
  signature sign contract agreement envelope
  newsletter campaign mailing
  subscriber audience
  error exception crash
  incident outage alert
  log history audit
  invite invitation attendee participant
  link url
  report summary
  permission access
  suspend disable deactivate block lock
  wiki knowledge
  status state stage
  label tag category
`

/** By stemmed word. */
const synonyms = new Map<string, Set<string>>()
for (const line of GROUPS.trim().split('\n')) {
  const group = line.trim().split(/\s+/).map(stem)
  for (const word of group) synonyms.set(word, new Set([...(synonyms.get(word) ?? []), ...group]))
}

/** Other stemmed words for a stemmed word. */
export const synonymsOf = (word: string): string[] =>
  [...(synonyms.get(word) ?? [])].filter(other => other !== word)
