import { firstName, say } from './sentence.ts'
import type { Words } from './words.ts'

export const en: Words = {
  language: 'en',
  direction: 'ltr',
  languageName: 'English',

  testMode: say`Test mode`,
  cancel: say`Cancel`,
  close: say`Close`,
  done: say`Done`,
  back: say`Back`,
  reference: say`Reference`,
  tryAgain: say`Try again`,
  youMayClose: say`You can close this window.`,
  contact: organization => say`Contact ${organization}`,
  privacy: say`Privacy`,
  terms: say`Terms`,
  chooseLanguage: say`Language`,
  forWhom: user => say`For ${user}`,
  asks: (organization, connector) => say`${organization}’s assistant wants to use your ${connector} account.`,
  notExpected: user =>
    user === null ? say`Not expecting this?` : say`Not ${firstName(user)}, or not expecting this?`,
  someService: 'The service',

  server: host => say`Server: ${host}`,
  endsSharing: say`This account is shared with others. If you replace it, the new account will not be shared.`,
  reconnectReason: {
    endsOn: (connector, date) =>
      say`Your connection to ${connector} ends on ${date}. Connect it again to keep using it.`,
    newKeyBy: (connector, date) =>
      say`${connector} asks for a new API key by ${date}. Enter it here to keep using the account.`,
    ended: connector => say`Your connection to ${connector} has ended. Connect it again to use it.`,
    failing: connector =>
      say`Your connection to ${connector} may end soon. Connect it again to keep using it.`,
  },

  picker: {
    title: say`What would you like to connect?`,
    lead: organization => say`${organization}’s assistant works only with the accounts you choose.`,
    connected: say`Connected`,
    noneTitle: say`Nothing to connect yet`,
    none: organization => say`${organization} hasn’t added any apps yet.`,
    apps: say`Apps`,
    search: count => say`Search ${String(count)} apps`,
    noMatch: query => say`No apps match “${query}”.`,
    missing: say`Don’t see your app?`,
    missingLead: organization => say`Ask ${organization} to add it.`,
    all: say`All`,
    categories: {
      communication: say`Communication`,
      productivity: say`Productivity`,
      files: say`Files`,
      development: say`Development`,
      sales: say`Sales`,
      support: say`Support`,
      finance: say`Finance`,
      data: say`Data`,
      other: say`Other`,
    },
    keys: say`↑ ↓ to navigate · Enter to choose`,
  },

  consent: {
    title: (connector, organization) => say`Connect ${connector} to ${organization}`,
    permissions: say`The assistant will be able to`,
    replaces: account => say`Already connected as ${account}. Continuing replaces that connection.`,
    trust: (connector, organization) =>
      /s$/i.test(connector)
        ? say`You’ll sign in on ${connector}’ own site. ${organization} and its AI model never see your password or keys, and you can disconnect at any time.`
        : say`You’ll sign in on ${connector}’s own site. ${organization} and its AI model never see your password or keys, and you can disconnect at any time.`,
    start: connector => say`Continue to ${connector}`,
    leaving: connector => say`Opening ${connector}…`,
    insideApp: connector =>
      say`This page was opened inside another app. If ${connector} won’t let you sign in here, open the page in your own browser.`,
    copy: say`Copy the address`,
    copied: say`Copied`,
    kinds: {
      read: say`Read information`,
      create: say`Create new items`,
      change: say`Change existing items`,
      delete: say`Delete items`,
    },
    more: count => say`and ${String(count)} more`,
    wholeAccount: {
      title: connector => say`Use your ${connector} account`,
      detail: say`This can include reading, creating, changing and deleting.`,
    },
    otherWay: connector => say`Use ${connector}’s own integration instead`,
    otherConnector: connector => say`Use ${connector} instead`,
  },

  waiting: {
    title: say`Finish in the other window`,
    lead: connector => say`Sign in to ${connector} there. This page continues automatically.`,
    stillTitle: say`Still finishing?`,
    stillLead: connector =>
      say`We’re still waiting for ${connector}. If you closed its window, open it again.`,
    again: say`Open it again`,
    blockedTitle: say`Your browser may have blocked the window`,
    blockedLead: connector =>
      say`If no ${connector} window opened, allow pop-ups for this site and open it again, or continue in this tab.`,
    here: say`Continue in this tab`,
  },

  opening: {
    title: say`One moment`,
    slow: say`This is taking longer than usual. Please keep the page open.`,
    unreachable: say`The page could not be loaded. Check your connection and try again.`,
    noScript: say`This page needs JavaScript. Allow it for this site, or ask for a link by email instead.`,
  },

  offline: say`You’re offline. This page continues when you’re back online.`,

  apiKey: {
    needs: say`Needs an API key`,
    title: connector => say`Connect with your ${connector} API key`,
    where: say`Where do I find it?`,
    trust: (connector, organization) =>
      say`We check the key with ${connector} and store it encrypted. It is never shown again. ${organization} and its AI model never see it, and you can disconnect at any time.`,
    show: say`Show`,
    hide: say`Hide`,
    steps: say`How to get it`,
    submit: say`Check and connect`,
    checking: connector => say`Checking with ${connector}…`,
    use: say`Use an API key instead`,
    useSignIn: connector => say`Sign in with ${connector} instead`,
    replace: say`Replace API key`,
    replaceLead: say`Leave a field empty to keep its current value.`,
    replaceSubmit: say`Check and replace`,
    replaced: say`The new credentials are in use.`,
    optional: say`Optional`,
    chooseFile: say`Choose a file`,
    problem: {
      address_unfit: connector =>
        say`Please check the marked field. It doesn’t look like your ${connector} address.`,
      format_unfit: () => say`The marked field doesn’t look right. Check that you copied all of it.`,
      fields_missing: () => say`Something is missing. Please fill in every field.`,
      key_rejected: connector =>
        say`${connector} did not accept this key. Check that you copied the whole key and that it hasn’t been revoked.`,
      key_check_unavailable: connector =>
        say`${connector} could not check this key right now, so we didn’t save it. Please try again in a moment.`,
      scope_missing: connector =>
        say`${connector} accepts this key, but it doesn’t have enough permissions. Create a key with the permissions listed in the hint.`,
      other_account: connector =>
        say`This belongs to another ${connector} account, so nothing was changed. To use that account, add it on the previous page.`,
      nothing_entered: () => say`Enter at least one new value.`,
      server_changed: connector =>
        say`${connector} now runs on another server, so nothing was sent. Check its address above before you continue.`,
      private_key_not_a_key: () =>
        say`This is not a private key. Paste all of it, including the first and the last line, or choose the file.`,
      private_key_wrong_file: connector =>
        say`This is not the file that ${connector} provides. Choose the JSON file with the key.`,
      private_key_encrypted: () =>
        say`This private key is encrypted with a passphrase. Enter one without a passphrase.`,
      private_key_public_key: () => say`This is a public key. Enter the private key that belongs to it.`,
      private_key_certificate: () => say`This is a certificate. Enter the private key that belongs to it.`,
      private_key_wrong_type: connector =>
        say`${connector} needs a private key of another type. Check the instructions.`,
      private_key_wrong_curve: connector =>
        say`${connector} needs a private key with another curve. Check the instructions.`,
      private_key_too_small: () => say`This private key is too short. Create one with at least 2048 bits.`,
      private_key_too_large: () => say`This private key is too long. Create one with at most 8192 bits.`,
      certificate_not_a_certificate: () =>
        say`This is not a certificate. Paste all of it, including the first and the last line, or choose the file.`,
      certificate_private_key: () => say`This is a private key. Enter the certificate that belongs to it.`,
      certificate_wrong_key: () =>
        say`This certificate belongs to another private key. Enter the certificate and the key that belong together.`,
      certificate_expired: () => say`This certificate has expired. Enter a current one.`,
      certificate_not_yet_valid: () => say`This certificate is not valid yet. Enter one that is valid now.`,
      certificate_refused: connector =>
        say`${connector} refused this certificate. Check that it is the one that is registered there, and that it hasn’t been revoked.`,
    },
  },

  credentialsForm: {
    needs: say`Needs credentials`,
    title: connector => say`Connect your ${connector} account`,
    where: say`Where do I find them?`,
    trust: (connector, organization) =>
      say`We check what you enter with ${connector} and store it encrypted. It is never shown again. ${organization} and its AI model never see it, and you can disconnect at any time.`,
    steps: say`How to get them`,
    use: say`Enter credentials instead`,
    replace: say`Replace credentials`,
    problem: {
      key_rejected: connector =>
        say`${connector} did not accept these credentials. Check each field, and that they haven’t expired or been revoked.`,
      key_check_unavailable: connector =>
        say`${connector} could not check these credentials right now, so we didn’t save them. Please try again in a moment.`,
      scope_missing: connector =>
        say`${connector} accepts these credentials, but they don’t have enough permissions. Add the permissions listed in the hint, then try again.`,
    },
  },

  chooseSite: {
    site: {
      title: say`Choose a site`,
      lead: (connector, organization) =>
        say`Your ${connector} account has several sites. ${organization}’s assistant will use only the one you choose.`,
      sites: say`Your sites`,
      unlisted: say`Choose one of the sites in the list.`,
    },
    organization: {
      title: say`Choose an organization`,
      lead: (connector, organization) =>
        say`Your ${connector} account has several organizations. ${organization}’s assistant will use only the one you choose.`,
      sites: say`Your organizations`,
      unlisted: say`Choose one of the organizations in the list.`,
    },
  },

  chooseAccount: {
    title: say`Replace or add?`,
    lead: (connector, account) =>
      say`You have signed in to ${connector} as ${account}. Another ${connector} account is already connected.`,
    leadUnnamed: connector => say`Another ${connector} account is already connected.`,
    choices: say`Your choice`,
    add: say`Add as another account`,
    addDetail: say`Both stay connected. The assistant asks which one to use.`,
    replace: label => say`Replace ${label}`,
    replaceDetail: say`This account will be disconnected.`,
    unlisted: say`That account is no longer connected. Choose again.`,
  },

  receipt: {
    data: say`Your data`,
    untouched: say`Nothing was connected or shared.`,
    unchanged: say`Opening the link again changed nothing, and nothing was shared.`,
    account: say`Account`,
    user: say`For`,
    usedBy: say`Used by`,
    assistant: organization => say`${organization}’s assistant`,
    hiddenFrom: organization => say`Hidden from ${organization}`,
    secrets: say`Your password and keys`,
    undo: say`Disconnect`,
    settings: organization => say`At any time, in ${organization}’s settings`,
  },

  connected: {
    title: connector => say`${connector} is connected`,
    lead: organization => say`${organization}’s assistant can pick up where it left off.`,
    back: organization => say`Return to ${organization}`,
    another: say`Connect another app`,
    awaiting: organization => say`${organization} is finishing the connection`,
  },

  returning: {
    title: {
      success: organization => say`Taking you back to ${organization}`,
      exit: organization => say`Taking you back to ${organization}`,
      error: (_, connector) =>
        connector === null
          ? say`The account could not be connected`
          : say`${connector} could not be connected`,
    },
    lead: {
      success: organization => say`${organization} finishes the connection when it opens.`,
      exit: () => say`You stopped before anything was connected.`,
      error: organization => say`You’re going back to ${organization}, where you can try again.`,
    },
    signedIn: connector =>
      connector === null
        ? say`You signed in. Your password and keys stay private.`
        : say`You signed in to ${connector}. Your password and keys stay private.`,
    button: say`Return to the app`,
    hint: say`If nothing opens, use the button.`,
  },

  connections: {
    title: say`Your connections`,
    lead: organization => say`The accounts that ${organization}’s assistant can use for you.`,
    open: say`Show my connections`,
    openLead: organization =>
      say`See the accounts you connected to ${organization} and when they were used. You can pause or disconnect them.`,
    noneTitle: say`No connections yet`,
    none: organization => say`You haven’t connected any accounts to ${organization}.`,
    sharedTitle: say`Shared with you`,
    sharedLead: organization =>
      say`${organization}’s assistant can also use these accounts for you. Only their owners can change them.`,
    sharedByOrganization: organization => say`${organization}’s account`,
    state: {
      active: say`Connected`,
      at_risk: say`Ends soon`,
      needs_reauth: say`Needs sign-in`,
      paused: say`Paused`,
    },
    status: say`Status`,
    since: say`Since`,
    activity: say`Recent activity`,
    noActivity: say`The assistant hasn’t used this account yet.`,
    activityNote: say`The list shows names and times, not contents.`,
    failedCall: say`Failed`,
    pausedUntil: time => say`Paused until ${time}.`,
    pausedLead: organization =>
      say`Until then, ${organization}’s assistant can’t use this account. It resumes automatically.`,
    needsReauth: connector => say`${connector} no longer accepts this connection. Reconnect to use it again.`,
    reconnectElsewhere: organization => say`To connect this account again, open ${organization}.`,
    pause: say`Pause for an hour`,
    resume: say`Resume now`,
    label: say`Label`,
    labelHint: say`Your assistant sees this name and uses it to choose the account.`,
    labelRejected: say`Choose another name. It must fit on one line and can’t be the name of another account.`,
    save: say`Save`,
    add: say`Add another account`,
    reconnect: say`Reconnect`,
    disconnect: say`Disconnect`,
    back: say`Back to your connections`,
    confirmTitle: connector => say`Disconnect ${connector}?`,
    confirmLead: (organization, connector) =>
      say`${organization}’s assistant will no longer be able to use this ${connector} account. You can connect it again later.`,
    keep: say`Keep it connected`,
    doneTitle: connector => say`${connector} is disconnected`,
    doneLead: organization => say`${organization}’s assistant can no longer use this account.`,
    stored: say`Stored access`,
    deleted: say`Deleted. The assistant can no longer use the account.`,
    atProvider: connector => say`At ${connector}`,
    revocation: {
      pending: connector => say`We’re asking ${connector} to revoke access.`,
      revoked: connector => say`${connector} confirmed that access was revoked.`,
      not_supported: connector =>
        say`${connector} doesn’t let us revoke access. To be safe, delete the key or the permission in your account there.`,
      kept_shared: connector =>
        say`Another connection uses the same permission, so it was not revoked. You can remove it in your ${connector} account.`,
      gave_up: connector =>
        say`${connector} didn’t confirm that access was revoked. Please remove it in your account there.`,
    },
    checkAgain: say`Check again`,
    pending: say`Waiting for your decision`,
    pendingLead: organization => say`You can refuse here. To approve, open the request in ${organization}.`,
    refuse: action => say`Don’t allow: ${action}`,
    remembered: say`Runs without asking you`,
    rememberedUntil: time => say`until ${time}`,
    usesLeft: count => say`uses left: ${count}`,
    anyText: say`any text`,
    askAgain: action => say`Ask me again: ${action}`,
    decisions: say`Your latest decisions`,
    decision: { approve: say`Approved`, deny: say`Not allowed` },
    clients: say`Apps with access to your tools`,
    signOut: client => say`Sign ${client} out`,
  },

  signIn: {
    title: (client, organization) => say`Allow ${client} to use your ${organization} tools?`,
    lead: (client, organization) =>
      say`${client} will be able to use these tools for you, with the accounts you connected to ${organization}.`,
    client: say`App`,
    returnsTo: say`Returns to`,
    thisDevice: say`An app on this device`,
    tools: say`Tools`,
    warning: client =>
      say`Continue only if you just started this in ${client}. It never sees your passwords or keys.`,
    allow: say`Allow`,
    deny: say`Don’t allow`,
  },

  approval: {
    title: connector => say`Approve this action in ${connector}?`,
    lead: organization => say`${organization}’s assistant wants to do exactly this, once.`,
    tool: say`Action`,
    serverTool: say`Action, as the server calls it`,
    noAccount: say`Without an account`,
    labeled: label => say`your label: ${label}`,
    destructive: say`This may change or delete data, and it may not be possible to undo it.`,
    unverified: say`What this server does was not verified. It may change or delete data.`,
    noArguments: say`The action has no further details.`,
    noPreview: connector =>
      say`Details could not be loaded from ${connector}, so you may see identifiers instead of names.`,
    roles: { recipient: say`Recipient`, amount: say`Amount`, target: say`Target` },
    empty: say`empty`,
    folded: {
      long: count => say`${count} characters, not opened yet`,
      binary: count => say`${count} characters of encoded data, not opened yet`,
    },
    showAll: say`Show all`,
    mixed: words => say`Letters of different alphabets: ${words}`,
    previous: {
      same: time => say`The same action was already carried out: ${time}.`,
      marked: time => say`What differs from the last time, ${time}, is marked.`,
      lastTime: say`Last time`,
      added: say`Not there last time`,
      differs: say`Different from last time`,
      gone: say`Not there this time`,
    },
    reasons: organization => say`Why ${organization} asks you`,
    request: say`The request that will be sent`,
    once: say`Only this will be done, and only once. If anything about it changes, you are asked again.`,
    openFirst: say`Open everything that is folded before you approve.`,
    approve: say`Approve once`,
    remember: {
      open: say`Approve and remember…`,
      label: say`Do the same without asking me`,
      periods: {
        hour: uses => say`for an hour, up to ${uses} times`,
        day: uses => say`for a day, up to ${uses} times`,
        month: uses => say`for 30 days, up to ${uses} times`,
      },
      anyText: say`also if the text is different`,
      hint: say`Everything else stays exactly as shown. You can end this where you manage your accounts.`,
      approve: say`Approve and remember`,
    },
    deny: say`Don’t allow…`,
    reason: say`Tell the assistant why`,
    denyCall: say`Don’t allow`,
    entry: {
      title: say`A decision is waiting for you`,
      lead: organization => say`${organization}’s assistant needs your approval before it continues.`,
      again: say`You sign in again for each decision, so that nobody else can decide for you.`,
      signIn: say`Sign in to see it`,
      view: say`See the request`,
      fromApp: organization => say`Open this request in ${organization} to see it and to decide.`,
    },
    endings: {
      approved: {
        title: say`You approved it`,
        lead: organization =>
          say`${organization}’s assistant can now do this once. It must ask you again for anything else.`,
      },
      executing: {
        title: say`You approved it`,
        lead: organization => say`${organization}’s assistant is doing it right now.`,
      },
      done: {
        title: say`Done`,
        lead: organization =>
          say`${organization}’s assistant has done this once. It must ask you again to repeat it.`,
      },
      remembered: {
        title: say`You approved it`,
        lead: organization =>
          say`${organization}’s assistant can do the same again without asking, for as long as you chose.`,
      },
      waits_for_others: {
        title: say`You approved it`,
        lead: organization => say`Someone else at ${organization} has to approve it too.`,
      },
      denied: {
        title: say`Not allowed`,
        lead: organization => say`Nothing was done. ${organization}’s assistant was told so.`,
      },
      failed: {
        title: say`Approved, but it failed`,
        lead: organization => say`${organization}’s assistant tried once and did not succeed.`,
      },
      unknown: {
        title: say`Approved, with an unknown result`,
        lead: organization =>
          say`The connection broke while ${organization}’s assistant was doing it, so it may or may not have been done. It will not be repeated.`,
      },
      expired: {
        title: say`Too late to decide`,
        lead: organization =>
          say`This request has ended, and nothing was done. ${organization}’s assistant can ask again.`,
      },
      account_changed: {
        title: say`Your account has changed`,
        lead: organization =>
          say`The account of this request was connected again, disconnected or is shared differently, so nothing was done. ${organization}’s assistant can ask again.`,
      },
      action_changed: {
        title: say`The action has changed`,
        lead: organization =>
          say`What you were asked about has changed since, so nothing was done. ${organization}’s assistant can ask again.`,
      },
      rules_changed: {
        title: say`The rules have changed`,
        lead: organization =>
          say`Who has to approve this action has changed, or it is not allowed any more, so nothing was done. ${organization}’s assistant can ask again.`,
      },
    },
  },

  expired: {
    title: say`This link has expired`,
    lead: () => say`To keep your accounts safe, a link works only for a short time.`,
    ask: organization => say`Ask ${organization} for a new link`,
    askedTitle: say`Request sent`,
    askedLead: organization =>
      say`${organization} can see that you need a new link and decides whether to send one. If none arrives, contact ${organization}.`,
  },

  withdrawn: { title: say`This link is no longer valid`, lead: say`It was withdrawn before you finished.` },

  used: {
    title: say`This link has already been used`,
    lead: connector =>
      connector === null
        ? say`Each link works only once.`
        : say`It was used to connect ${connector}. Each link works only once.`,
    unconfirmed: connector =>
      say`${connector} isn’t connected yet. The app that sent you here still has to confirm it. Each link works only once.`,
  },

  askForNewLink: organization =>
    organization === null
      ? say`Ask the person who sent it to you for a new one.`
      : say`Ask ${organization} for a new one.`,

  cancelled: {
    title: say`You canceled`,
    lead: connector =>
      connector === null
        ? say`You can open the link again while it is valid.`
        : say`${connector} was not connected. You can open the link again while it is valid.`,
    unexpectedTitle: say`We stopped this request`,
    unexpectedLead: organization =>
      organization === null
        ? say`Thanks for catching this. Delete the message with the link, and don’t forward it.`
        : say`Thanks for catching this. Delete the message with the link, don’t forward it, and tell ${organization} if you get another one.`,
  },

  failed: {
    title: connector =>
      connector === null ? say`The account could not be connected` : say`${connector} could not be connected`,
    reason: {
      provider_error: connector => say`${connector} reported a problem, and the sign-in was not completed.`,
      provider_timeout: connector => say`${connector} took too long to respond.`,
      provider_unavailable: connector => say`${connector} cannot be reached right now.`,
      exchange_failed: connector => say`${connector} did not confirm your sign-in.`,
      issuer_mismatch: connector => say`The response didn’t come from ${connector}, so we rejected it.`,
      invalid_state: () =>
        say`The response doesn’t belong to the sign-in you started here, so we rejected it.`,
      session_expired: () => say`The link expired while you were signing in.`,
      key_rejected: connector => say`${connector} did not accept the key.`,
      key_check_unavailable: connector =>
        say`${connector} could not check the key right now, so we didn’t save it.`,
      certificate_refused: connector => say`${connector} refused the certificate.`,
      scope_missing: connector => say`${connector} did not grant all the permissions that are needed.`,
      no_site: connector =>
        say`${connector} found no site or organization that your account can use. Ask its administrator to add you, or sign in with another account.`,
      connector_removed: connector => say`${connector} is no longer offered here.`,
      internal: () => say`Something went wrong on our side.`,
    },
    giveUp: organization =>
      organization === null
        ? say`If it happens again, tell the person who sent you the link, and include the reference.`
        : say`If it happens again, tell ${organization}, and include the reference.`,
  },

  refused: {
    invalid_link: {
      title: say`This link does not work`,
      lead: () => say`Part of the address may be missing. Ask the person who sent it to you for a new one.`,
    },
    user_inactive: {
      title: say`This link is paused`,
      lead: organization =>
        organization === null
          ? say`The account it was created for is not active. Ask the person who sent it to you.`
          : say`The ${organization} account it was created for is not active. Ask ${organization} to activate it.`,
    },
    unauthorized_origin: {
      title: say`This link can’t be used`,
      lead: organization =>
        organization === null
          ? say`It would send you to an unauthorized origin: an address that hasn’t been approved.`
          : say`It would send you to an unauthorized origin: an address that ${organization} hasn’t approved.`,
    },
    other_browser: {
      title: say`Continue in the browser you started in`,
      lead: () =>
        say`You started in another browser or on another device. Go back to it, or open the link again here.`,
    },
    opened_elsewhere: {
      title: say`This link was opened in another browser`,
      lead: organization =>
        organization === null
          ? say`It works only in the browser that opened it first. Ask for a new link to use it here.`
          : say`It works only in the browser that opened it first. Ask ${organization} for a new link to use it here.`,
    },
    cookies_blocked: {
      title: say`Your browser blocks cookies`,
      lead: () =>
        say`We need one cookie to make sure that it’s you. Allow cookies for this site, then open the link again.`,
    },
    too_many_requests: {
      title: say`Too many attempts`,
      lead: () => say`Wait a minute, then open the link again.`,
    },
    connector_gone: {
      title: say`This app is no longer offered`,
      lead: organization =>
        organization === null
          ? say`The app this link was for can no longer be connected. Ask for a new link.`
          : say`${organization} no longer offers the app this link was for. Ask ${organization} for a new link.`,
    },
    unavailable: {
      title: say`We’ll be right back`,
      lead: () =>
        say`This page is not available right now. Your link still works. Open it again in a few minutes.`,
    },
    organization_moving: {
      title: say`Just a moment`,
      lead: () =>
        say`This page is moving to another server. Your link still works. Try again in a few seconds.`,
    },
    wrong_cell: {
      title: say`This page can’t be shown here`,
      lead: () => say`Your link belongs to another server. Open it again from where you got it.`,
    },
    organization_suspended: {
      title: say`Connections are paused`,
      lead: organization =>
        organization === null
          ? say`Connecting accounts is paused for now. Your existing connections are kept. Ask the person who sent you the link.`
          : say`${organization} can’t connect accounts right now. Your existing connections are kept. Ask ${organization} when it will be possible again.`,
    },
    sign_in_invalid: {
      title: say`This sign-in can’t continue`,
      lead: () =>
        say`It has expired, is already finished, or is incomplete. Start again in the app you came from.`,
    },
    sign_in_not_allowed: {
      title: say`You don’t have access`,
      lead: organization =>
        organization === null
          ? say`There is no active account for you here. Ask the people who run the app.`
          : say`${organization} has no active account for you. Ask ${organization} for access.`,
    },
    sign_in_unmatched: {
      title: say`We couldn’t match you to an account`,
      lead: organization =>
        organization === null
          ? say`The sign-in service did not send the information that identifies you. Ask the people who run the app to check its sign-in settings.`
          : say`${organization}’s sign-in service did not send the information that identifies you. Ask ${organization} to check its sign-in settings.`,
    },
    sign_in_email_unverified: {
      title: say`Your email address isn’t verified`,
      lead: organization =>
        organization === null
          ? say`The sign-in service has not verified your email address. Verify it there and start again, or ask the people who run the app.`
          : say`${organization}’s sign-in service has not verified your email address. Verify it there and start again, or ask ${organization} for help.`,
    },
    sign_in_denied: {
      title: say`You weren’t signed in`,
      lead: organization =>
        organization === null
          ? say`The sign-in was canceled, or the sign-in service did not let you in. Start again in the app you came from, or ask the people who run it for access.`
          : say`The sign-in was canceled, or ${organization}’s sign-in service did not let you in. Start again in the app you came from, or ask ${organization} for access.`,
    },
    sign_in_failed: {
      title: say`The sign-in service isn’t working`,
      lead: organization =>
        organization === null
          ? say`Try again in a few minutes in the app you came from. If it still fails, tell the people who run it.`
          : say`${organization}’s sign-in service could not be used. Try again in a few minutes in the app you came from. If it still fails, tell ${organization}.`,
    },
    approval_invalid: {
      title: say`This request can’t be opened`,
      lead: () =>
        say`Part of the address may be missing, or the request has ended. Start again in the app you came from.`,
    },
    approval_of_another_user: {
      title: say`This request is for someone else`,
      lead: organization =>
        organization === null
          ? say`You are signed in as someone who can’t decide about it.`
          : say`You are signed in to ${organization} as someone who can’t decide about it.`,
    },
  },
}
