import type {
  ApprovalDecision,
  ConnectorCategory,
  LinkLanguage,
  RememberPeriod,
  SiteKind,
} from '@carabiner/contract'
import type {
  ApprovalEnding,
  ConnectionState,
  FailureReason,
  KeyProblem,
  Outcome,
  RefusedReason,
  RevocationState,
  ToolKind,
} from './reasons.ts'
import type { Sentence } from './sentence.ts'

type Of<Names extends (string | null)[]> = (...names: Names) => Sentence
type OfConnector = Of<[connector: string]>
type OfOrganization = Of<[organization: string]>

/** Every text of Link's pages. Each language implements this type. */
export type Words = {
  language: LinkLanguage
  direction: 'ltr' | 'rtl'
  /** The language's own name for itself. */
  languageName: string

  testMode: Sentence
  cancel: Sentence
  close: Sentence
  done: Sentence
  back: Sentence
  reference: Sentence
  tryAgain: Sentence
  youMayClose: Sentence
  contact: OfOrganization
  privacy: Sentence
  terms: Sentence
  chooseLanguage: Sentence
  forWhom: Of<[user: string]>
  asks: Of<[organization: string, connector: string]>
  notExpected: Of<[user: string | null]>
  /** Replaces the name of an unknown connector; always the first word of its sentence. */
  someService: string

  /** The host of an MCP server. */
  server: Of<[host: string]>
  /** A shared account may be replaced by another one. */
  endsSharing: Sentence
  /** Why an account is to be connected again. The dates are elements of the page. */
  reconnectReason: {
    endsOn: (connector: string, date: string) => Sentence
    newKeyBy: (connector: string, date: string) => Sentence
    ended: OfConnector
    failing: OfConnector
  }

  picker: {
    title: Sentence
    lead: OfOrganization
    connected: Sentence
    noneTitle: Sentence
    none: OfOrganization
    apps: Sentence
    search: (count: number) => Sentence
    noMatch: Of<[query: string]>
    /** Shown at the end of the list. */
    missing: Sentence
    missingLead: OfOrganization
    all: Sentence
    categories: Record<ConnectorCategory, Sentence>
    keys: Sentence
  }

  consent: {
    title: Of<[connector: string, organization: string]>
    permissions: Sentence
    replaces: Of<[account: string]>
    trust: Of<[connector: string, organization: string]>
    start: OfConnector
    leaving: OfConnector
    insideApp: OfConnector
    copy: Sentence
    copied: Sentence
    kinds: Record<ToolKind, Sentence>
    /** The number of tools that are not listed by name. */
    more: (count: number) => Sentence
    /** Used if the tools are not known before the account is connected. */
    wholeAccount: { title: OfConnector; detail: Sentence }
    /** Another connector of the same product, such as the vendor's MCP server. */
    otherWay: OfConnector
    /** A connector of the same product with the same method, for example for another host. */
    otherConnector: OfConnector
  }

  /** Shown in a frame while the person signs in at the provider in a separate window. */
  waiting: {
    title: Sentence
    lead: OfConnector
    stillTitle: Sentence
    stillLead: OfConnector
    again: Sentence
    blockedTitle: Sentence
    blockedLead: OfConnector
    here: Sentence
  }

  /** The hosted page while it exchanges its token. */
  opening: { title: Sentence; slow: Sentence; unreachable: Sentence; noScript: Sentence }

  offline: Sentence

  apiKey: {
    /** In the list of apps. */
    needs: Sentence
    title: OfConnector
    where: Sentence
    trust: Of<[connector: string, organization: string]>
    show: Sentence
    hide: Sentence
    steps: Sentence
    submit: Sentence
    checking: OfConnector
    /** Used if a connector has both methods. */
    use: Sentence
    useSignIn: OfConnector
    /** On My connections: title and link of the form that replaces what was entered before. */
    replace: Sentence
    replaceLead: Sentence
    replaceSubmit: Sentence
    /** After the replacement. */
    replaced: Sentence
    /** After the label of a field that may stay empty. */
    optional: Sentence
    /** The button below the field of a private key. */
    chooseFile: Sentence
    problem: Record<KeyProblem, OfConnector>
  }

  /** In place of those of `apiKey` for forms that ask for something else, such as a client secret or a private key. */
  credentialsForm: {
    needs: Sentence
    title: OfConnector
    where: Sentence
    trust: Of<[connector: string, organization: string]>
    steps: Sentence
    use: Sentence
    replace: Sentence
    problem: Record<'key_rejected' | 'key_check_unavailable' | 'scope_missing', OfConnector>
  }

  /** Shown after sign-in for an account with several sites, by the vendor's word for them. */
  chooseSite: Record<
    SiteKind,
    {
      title: Sentence
      lead: Of<[connector: string, organization: string]>
      /** The accessible name of the list. */
      sites: Sentence
      unlisted: Sentence
    }
  >

  /** “Replace or add?” */
  chooseAccount: {
    title: Sentence
    lead: Of<[connector: string, account: string]>
    leadUnnamed: Of<[connector: string]>
    /** The accessible name of the list. */
    choices: Sentence
    add: Sentence
    addDetail: Sentence
    replace: Of<[label: string]>
    replaceDetail: Sentence
    unlisted: Sentence
  }

  receipt: {
    data: Sentence
    untouched: Sentence
    unchanged: Sentence
    account: Sentence
    user: Sentence
    usedBy: Sentence
    assistant: OfOrganization
    hiddenFrom: OfOrganization
    secrets: Sentence
    undo: Sentence
    settings: OfOrganization
  }

  connected: {
    title: OfConnector
    lead: OfOrganization
    back: OfOrganization
    another: Sentence
    awaiting: OfOrganization
  }

  returning: {
    title: Record<Outcome, Of<[organization: string, connector: string | null]>>
    lead: Record<Outcome, OfOrganization>
    signedIn: Of<[connector: string | null]>
    button: Sentence
    hint: Sentence
  }

  /** The My connections page. */
  connections: {
    title: Sentence
    lead: OfOrganization
    open: Sentence
    openLead: OfOrganization
    noneTitle: Sentence
    none: OfOrganization
    /** Accounts of others that the user may use. */
    sharedTitle: Sentence
    sharedLead: OfOrganization
    /** An account of the organization itself. */
    sharedByOrganization: OfOrganization
    state: Record<ConnectionState, Sentence>
    status: Sentence
    since: Sentence
    activity: Sentence
    noActivity: Sentence
    activityNote: Sentence
    failedCall: Sentence
    pausedUntil: Of<[time: string]>
    pausedLead: OfOrganization
    needsReauth: OfConnector
    /** The account cannot be connected again from this page. */
    reconnectElsewhere: OfOrganization
    pause: Sentence
    resume: Sentence
    /** The label of an account, and its form. */
    label: Sentence
    labelHint: Sentence
    labelRejected: Sentence
    save: Sentence
    add: Sentence
    reconnect: Sentence
    disconnect: Sentence
    back: Sentence
    confirmTitle: OfConnector
    confirmLead: Of<[organization: string, connector: string]>
    keep: Sentence
    doneTitle: OfConnector
    doneLead: OfOrganization
    stored: Sentence
    deleted: Sentence
    atProvider: OfConnector
    revocation: Record<RevocationState, OfConnector>
    checkAgain: Sentence
    /** Actions of the assistant that wait for this user. */
    pending: Sentence
    pendingLead: OfOrganization
    refuse: Of<[action: string]>
    /** Actions that the assistant can repeat. */
    remembered: Sentence
    rememberedUntil: Of<[time: string]>
    usesLeft: Of<[count: string]>
    anyText: Sentence
    askAgain: Of<[action: string]>
    decisions: Sentence
    decision: Record<ApprovalDecision, Sentence>
    /** MCP clients that the user has signed in with. */
    clients: Sentence
    signOut: Of<[client: string]>
  }

  /** The page that asks whether an MCP client may use the tools of a pack. */
  signIn: {
    title: Of<[client: string, organization: string]>
    lead: Of<[client: string, organization: string]>
    client: Sentence
    returnsTo: Sentence
    /** Instead of a host: the client runs on the person's device. */
    thisDevice: Sentence
    tools: Sentence
    warning: Of<[client: string]>
    allow: Sentence
    deny: Sentence
  }

  /** The page on which a user decides about a call. */
  approval: {
    title: OfConnector
    lead: OfOrganization
    tool: Sentence
    /** Before the title that an MCP server gives its tool. */
    serverTool: Sentence
    noAccount: Sentence
    /** After the account: what the user has called it. */
    labeled: Of<[label: string]>
    destructive: Sentence
    unverified: Sentence
    noArguments: Sentence
    /** The provider did not return what the arguments refer to. */
    noPreview: OfConnector
    roles: { recipient: Sentence; amount: Sentence; target: Sentence }
    empty: Sentence
    folded: { long: Of<[count: string]>; binary: Of<[count: string]> }
    showAll: Sentence
    /** Words with letters of two alphabets. */
    mixed: Of<[words: string]>
    /** About the last approved call of the same action. */
    previous: {
      same: Of<[time: string]>
      marked: Of<[time: string]>
      lastTime: Sentence
      added: Sentence
      differs: Sentence
      gone: Sentence
    }
    reasons: OfOrganization
    request: Sentence
    once: Sentence
    openFirst: Sentence
    approve: Sentence
    /** Approves calls like this one for some time. */
    remember: {
      open: Sentence
      label: Sentence
      periods: Record<RememberPeriod, Of<[uses: string]>>
      anyText: Sentence
      hint: Sentence
      approve: Sentence
    }
    /** Opens the form of the denial. */
    deny: Sentence
    reason: Sentence
    denyCall: Sentence
    entry: {
      title: Sentence
      lead: OfOrganization
      again: Sentence
      signIn: Sentence
      view: Sentence
      fromApp: OfOrganization
    }
    endings: Record<ApprovalEnding, { title: Sentence; lead: OfOrganization }>
  }

  expired: {
    title: Sentence
    lead: Of<[organization: string | null]>
    ask: OfOrganization
    askedTitle: Sentence
    askedLead: OfOrganization
  }

  /** The link was ended before it expired. */
  withdrawn: { title: Sentence; lead: Sentence }

  used: { title: Sentence; lead: Of<[connector: string | null]>; unconfirmed: Of<[connector: string]> }

  askForNewLink: Of<[organization: string | null]>

  cancelled: {
    title: Sentence
    lead: Of<[connector: string | null]>
    unexpectedTitle: Sentence
    unexpectedLead: Of<[organization: string | null]>
  }

  failed: {
    title: Of<[connector: string | null]>
    reason: Record<FailureReason, OfConnector>
    giveUp: Of<[organization: string | null]>
  }

  refused: Record<RefusedReason, { title: Sentence; lead: Of<[organization: string | null]> }>
}
