/**
 * What people say, and the words of tools that mean it: `words of tools < everyday words and phrases`. General English and the usual
 * terms of office software, not taken from single requests.
 *
 * - Other words may stand inside a phrase: "tick the last one off" contains `tick off`.
 * - A word with `^` counts only where an instruction has its verb: "text Ann", but not "the text".
 * - `|` separates groups of which each counts, such as an action and its object.
 */
export const READING = `
  search find < look up, look for, look out, dig up, dig out, hunt for, hunt down, track down, seek, spot, locate, lookup, query, ^search, ^find, find out, anything about
  search find list < where, pull up, pull out, filter, which, is there, are there, any, do have
  search list | message email mail < written to me, wrote to me, write to me, hear from, heard back, word from
  signin login < log in, log on, log into, logged in, sign on
  list < show, display, view, see, browse, overview, enumerate, which, what, who, how many, all, every, everybody, everyone, ^list
  get read < ^open, look at, look into, look inside, peek, ^check, inspect, fetch, retrieve, details, tell me, show, see, view, what, pull up, ^get, ^read, ^give me, more about
  read get content text download < say, contain, inside, read out, go through
  get list < how, when, whether, status
  count total < how many, how much
  summary report < how well, how did, recap, summarize, sum up, catch up, miss, gist, key points
  history log audit events < happen, happened, go on, took place, activity, trail, timeline
  busy free availability < have time, free, available, slot, availability, ^when
  export render image < picture, screenshot, png, image
  download export < ^save, get hold of, fetch
  unpaid overdue balance < owe, owed, due, outstanding, late paying, have to pay
  error latest event trace < ^why, go wrong, fail, crash, blow up, break, stack
  member user < on team, belong to, part of
  participant attendee < show up, turn up, take part, attend
  profile user < who am i, my name, signed in as
  describe schema field column < structure, layout, consist of, made up
  oncall < on duty, on shift
`

export const WRITING = `
  create add open < make, new, ^start, set up, put up, spin up, ^open, raise, enter, begin, register, ^file, ^log, ^draft, write, insert, put, put in, put down,
    stick, chuck in, take down, jot, jot down, note down, write down, write up, prepare, compose, generate, draw up, capture, build, ^create, ^add, ^record
  append insert add < tack, tack on, attach, put, stick, extend, slip in, at the end, at the bottom, another, one more
  upload create write < drop, put, put up, ^save, store, ^upload
  update change edit set < alter, modify, adjust, amend, correct, fix, swap, switch, bump, ^raise, lower, tweak, rewrite, reword, rephrase, revise, polish, rename, ^set,
    mark, change, edit, turn into, make it, give, put, no longer, ^update, touch up
  update write values < fill in, put, enter, type in
  replace < swap, substitute, exchange, overwrite, switch
  rename update < ^call, another name, other name, new name, better title, retitle
  delete remove trash < bin, chuck, chuck out, throw out, throw away, toss, get rid of, drop, discard, erase, wipe, scrap, strike, take off, take down, take back,
    take out, clear out, clean up, dump, ditch, purge, unsend, no longer need, ^delete, ^remove
  clear empty < blank, blank out, wipe, erase, ^empty
  untrash restore < out of trash, from trash, bring back, get back, put back, recover, undelete, undo
  cancel void stop delete < call off, scrap, abort, kill, halt, withdraw, quit, drop, ^stop, ^end, turn off, shut off, shut down, ^cancel, back out
  stop deallocate disable < turn off, switch off, shut off, shut down, power down
  start run invoke deploy < kick off, fire up, power up, turn on, switch on, boot, launch, trigger, execute, rerun, ^start, set off, ^run
  deploy publish < go live, live, ^ship, ^release, roll out, put live, push out, put online
  refresh update < fresh, reload, up to date
  send post < shoot, drop a line, ^write to, let know, ^tell, ping, ^message, shout, announce, ^say, get out, fire off, mail out, notify, ^pass, ^post, ^send, share with,
    reach out, inform, broadcast, deliver
  send | message < ^text, ^email, ^mail, ^dm, ^sms
  forward < pass on, pass along, hand on, let see
  reply respond answer comment < write back, get back to, come back to, ^answer, ^reply, react
  respond accept decline < say yes, say no, turn down, rsvp, can make it, accept, decline
  comment note add < remark, ^say, chime in, weigh in, leave, ^ask, feedback, discuss, ^tell, ^comment, point out
  share permission link < let see, let in, let read, let edit, give access, open up, hand over, show to, ^share, grant
  permission access share < get into, get at, can see, who can, open to
  move update < put into, shift, shift over, shove, drag, transfer, file under, tuck away, put away, relocate, bring, move over, put in
  reschedule update < push back, put off, put back, bring forward, pull forward, move up, postpone, delay, push, shift, later, earlier, defer, rebook, another time, other time
  create | event meeting calendar < block, block out, pencil in, ^book, set up, ^schedule, plan, arrange, get together
  complete update close < tick, tick off, check off, cross off, cross out, finish, finished, done, through with, wrap up, over, mark done
  close resolve update < wrap up, finish, settle, sort out, put to bed, ^shut, fixed, done, ^close, close out
  update ignore < mute, silence, hush, snooze, ignore
  acknowledge update resolve < on it, got it, ack
  assign update < hand, hand to, hand over, give to, pass to, pass on, in charge, responsible, delegate, ^assign
  transition update state status < move to, go from, set to, worked on, mark as, progress
  add invite member < let in, sign up, subscribe, enroll, put on, bring in, let try, put in, join, ^invite, onboard, include
  remove member < kick out, take out, take off, throw out, drop, unsubscribe
  suspend block disable revoke < shut out, ^lock, lock out, freeze, shut off, ban, leave, left, throw out, kick out, deactivate, turn off, switch off, ^block, cut off
  restore unsuspend unblock unlock enable < let back in, let in again, unfreeze, unban, reopen, reactivate, turn back on
  revoke | sessions < log out, sign out, throw out
  refund < give back, money back, pay back, reimburse, return
  remind < chase, nudge, poke, follow up, hurry, prod
  create | invoice bill < ^bill, ^charge, ^invoice
  approve review < bless, sign off, green light, give the nod, thumbs up, lgtm, accept
  request | review reviewer < have a look, take a look, second opinion, look over
  merge < ^land, get into, bring into, squash, combine
  create | pullrequest mergerequest < put up
  commit create update | file < check in, commit, push
  reaction < ^like, heart, thumbs up, emoji, smiley, react, star
  label star flag < star, flag, pin
  mark read unread update < read, unread, seen, opened
  copy < duplicate, second, another one, clone, same again, run off
  sign envelope send < get to sign, signature, sign
  create | incident < ^page, ^wake, wake up
`

/** Kinds of things: `word of tools < kinds of it`. */
export const KINDS = `
  event meeting calendar < appointment, standup, kickoff, offsite, workshop, lunch, dinner, breakfast, coffee, party, trip, interview, demo, sync, retro, webinar,
    conference, training, visit, dentist, doctor, date, holiday, vacation, reservation, class
  event calendar < today, tomorrow, tonight, morning, afternoon, evening, noon, midnight, am, pm, weekend
  document file < contract, lease, policy, minutes, letter, slides, presentation, deck, budget, handbook, scan, passport, pdf, paper, photo, picture, form, notes,
    agreement, manual, memo, resume, cv, certificate, readme, script, config
  product item < goods, shirt, shoes, mug, book, phone, laptop
  payment < money, cash, euro, dollar, fee, deposit
  message mail < letter, word, line, news
  vendor supplier < buy from, provider, contractor
  issue error incident < problem, crash, outage, failure, breakdown
  task < chore, errand, shopping, homework, job
  order < parcel, package, shipment, delivery, tracking
  user account < login, newcomer, joiner, new hire, intern
  my < my, mine, myself
  user member person people owner participant teammate worker < who, whom
`

/** Words for the same thing, one group per line. */
export const SAME = `
  create add new
  delete remove trash
  update change edit set modify
  search find query
  get read fetch
  email mail message inbox
  mailbox mail inbox
  message dm chat note post
  sms text message
  draft unsent unfinished prepared
  meeting event appointment call calendar
  event calendar schedule agenda
  invitation invite attendee guest participant
  ticket issue bug request case problem
  task todo reminder item job card
  repository repo codebase code
  project repo
  commit history change
  pullrequest mergerequest pr mr
  diff difference change
  pipeline build workflow ci check
  workflow ci run
  deployment build release
  document doc page file article
  wiki page
  spreadsheet sheet table excel
  row record entry line item
  column field property
  cell value range
  sheet tab
  folder directory place
  file attachment document paper
  person people user member colleague teammate employee staff worker guy folk 
  worker employee staff
  report subordinate
  manager boss supervisor
  contact person people
  customer client buyer caller shopper
  vendor supplier
  company organization business firm account
  deal opportunity lead prospect sale
  stage step pipeline
  activity followup
  invoice bill
  payment charge transaction pay money
  balance money fund worth
  balancesheet asset liability worth
  profit loss money earn income
  product item article goods service
  price cost fee
  inventory stock left
  order purchase buy
  subscription plan
  dispute chargeback
  refund reimbursement
  comment reply feedback remark note discussion question
  reply answer response thread
  version revision build
  release version
  channel room group
  conversation thread chat discussion
  server community
  group team
  recording video watch
  summary recap
  participant attendee join
  signature contract envelope agreement
  template ready-made
  newsletter campaign mailing
  subscriber audience member reader follower contact
  click open rate
  error exception crash issue
  incident outage alert alarm
  link url address
  domain address
  permission access
  signin login logon password
  application app
  statement query sql
  statement payslip salary wage pay
  view chart graph
  dashboard chart report
  virtualmachine machine vm server box
  function lambda
  title name
  status state
  label tag category
  text paragraph sentence
  picture photo image
  schedule rota shift
  call ring phone
  review rating
  report number figure result
  cycle sprint iteration
  urgent priority urgency
  location place
  recipient signer
  role right privilege admin
  article faq guide howto knowledge
  post blog article
  node layer frame component
  approve approval review
  balance account
  admin agent teammate
  store shop
`
