import { firstName, say } from '../sentence.ts'
import type { Words } from './words.ts'

export const en: Words = {
  language: 'en',
  direction: 'ltr',
  languageName: 'English',

  testMode: say`Test mode`,
  cancel: say`Cancel`,
  close: say`Close`,
  back: say`Back`,
  reference: say`Reference`,
  tryAgain: say`Try again`,
  youMayClose: say`You can close this window.`,
  contact: organization => say`Contact ${organization}`,
  privacy: say`Privacy`,
  terms: say`Terms`,
  chooseLanguage: say`Language`,
  forWhom: user => say`For ${user}`,
  asks: (organization, connector) => say`${organization}’s assistant asks to use your ${connector} account.`,
  notExpected: user =>
    user === null ? say`Not expecting this?` : say`Not ${firstName(user)}, or not expecting this?`,
  /** Stands for a connector whose name is not known; only ever first in its sentence. */
  someService: 'The service',

  picker: {
    title: say`What would you like to connect?`,
    lead: organization => say`${organization}’s assistant works only with the accounts you choose.`,
    connected: say`Connected`,
    needsKey: say`Needs an API key`,
    noneTitle: say`Nothing to connect yet`,
    none: organization => say`${organization} has not chosen any apps.`,
    apps: say`Apps`,
    search: count => say`Search ${String(count)} apps`,
    noMatch: say`No app has that name.`,
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
    keys: say`↑ ↓ to move · Enter to choose`,
  },

  consent: {
    title: (connector, organization) => say`Connect ${connector} to ${organization}`,
    permissions: say`The assistant will be able to`,
    replaces: account => say`Already connected as ${account}. Continuing replaces that connection.`,
    trust: (connector, organization) =>
      say`You sign in at ${connector}. ${organization} and its AI model never see your password or keys, and you can disconnect at any time.`,
    start: connector => say`Continue to ${connector}`,
    leaving: connector => say`Opening ${connector}…`,
    insideApp: connector =>
      say`This page was opened inside another app. If ${connector} refuses to sign you in here, open the page in your own browser.`,
    copy: say`Copy the address`,
    copied: say`Copied`,
  },

  waiting: {
    title: say`Finish in the other window`,
    lead: connector => say`Sign in at ${connector} there. This page continues by itself.`,
    stillTitle: say`Still finishing?`,
    stillLead: connector =>
      say`Nothing has come back from ${connector} yet. If its window is gone, open it again.`,
    again: say`Open it again`,
    here: say`Continue in this tab`,
  },

  opening: {
    title: say`One moment`,
    slow: say`This is taking longer than usual. Please keep the page open.`,
    unreachable: say`The page could not be loaded. Check your connection and try again.`,
    noScript: say`This page needs JavaScript. Allow it for this site, or ask for a link by email instead.`,
  },

  offline: say`You are offline. The page continues when the connection is back.`,

  apiKey: {
    title: connector => say`Connect with your ${connector} API key`,
    where: say`Where do I find it?`,
    trust: (connector, organization) =>
      say`The key is checked with ${connector}, encrypted, and never shown again. ${organization} and its AI model never see it, and you can disconnect at any time.`,
    submit: say`Check and connect`,
    checking: connector => say`Checking with ${connector}…`,
    useKey: say`Use an API key instead`,
    useSignIn: connector => say`Sign in with ${connector} instead`,
    problem: {
      address_unfit: connector =>
        say`Please check the marked field: it does not look like an address of ${connector}.`,
      fields_missing: () => say`Something is missing. Please fill in every field.`,
      key_rejected: connector =>
        say`${connector} did not accept this key. Check that it was copied whole and has not been revoked.`,
      key_check_unavailable: connector =>
        say`${connector} could not check this key right now, so it was not kept. Please try again in a moment.`,
      scope_missing: connector =>
        say`${connector} accepts this key, but it does not allow enough. Make one with the permissions named in the hint.`,
    },
  },

  receipt: {
    data: say`Your data`,
    untouched: say`Nothing was connected, and nothing was shared.`,
    unchanged: say`Opening the link again changed nothing, and nothing was shared.`,
    account: say`Account`,
    user: say`For`,
    usedBy: say`Used by`,
    assistant: organization => say`${organization}’s assistant`,
    neverSeen: say`Never seen`,
    secrets: say`Your password and keys`,
    undo: say`Disconnect`,
    settings: organization => say`At any time, in ${organization}’s settings`,
  },

  connected: {
    title: connector => say`${connector} is connected`,
    lead: organization => say`${organization}’s assistant can go on where it left off.`,
    back: organization => say`Return to ${organization}`,
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
      error: organization => say`${organization} opens again now, and you can try once more from there.`,
    },
    signedIn: connector =>
      connector === null
        ? say`You signed in. Your password and keys stay unseen.`
        : say`You signed in at ${connector}. Your password and keys stay unseen.`,
    button: say`Return to the app`,
    hint: say`If nothing opens, use the button.`,
  },

  expired: {
    title: say`This link has expired`,
    lead: () => say`To keep your accounts safe, a link works only for a short time.`,
    ask: organization => say`Ask ${organization} for a new link`,
    askedTitle: organization => say`${organization} has been told`,
    askedLead: organization =>
      say`${organization} knows that you need a new link, and can send you one. You can close this window.`,
  },

  used: {
    title: say`This link has already been used`,
    lead: connector =>
      connector === null
        ? say`A link works only once.`
        : say`It has connected ${connector}, and a link works only once.`,
    unconfirmed: connector =>
      say`${connector} is not connected yet: the app that sent you here still has to confirm it. A link works only once.`,
  },

  askForNewLink: organization =>
    organization === null
      ? say`Ask whoever sent it to you for a new one.`
      : say`Ask ${organization} for a new one.`,

  cancelled: {
    title: say`You cancelled`,
    lead: connector =>
      connector === null
        ? say`You can open the link again while it is valid.`
        : say`${connector} was not connected. You can open the link again while it is valid.`,
    unexpectedTitle: say`We stopped this request`,
    unexpectedLead: organization =>
      organization === null
        ? say`Thank you for being careful. Delete the message with the link, and do not pass it on.`
        : say`Thank you for being careful. Delete the message with the link, do not pass it on, and tell ${organization} if another one comes.`,
  },

  failed: {
    title: connector =>
      connector === null ? say`The account could not be connected` : say`${connector} could not be connected`,
    reason: {
      provider_error: connector => say`${connector} reported a problem and did not finish.`,
      provider_timeout: connector => say`${connector} took too long to answer.`,
      provider_unavailable: connector => say`${connector} cannot be reached right now.`,
      exchange_failed: connector => say`${connector} did not confirm your sign-in.`,
      issuer_mismatch: connector =>
        say`${connector} was asked, but the answer came from somewhere else, so it was not trusted.`,
      invalid_state: () =>
        say`The answer does not belong to the sign-in that was started here, so it was not trusted.`,
      session_expired: () => say`The link expired while you were signing in.`,
      key_rejected: connector => say`${connector} did not accept the key.`,
      key_check_unavailable: connector =>
        say`${connector} could not check the key right now, so it was not kept.`,
      scope_missing: connector => say`${connector} did not grant everything that was asked for.`,
      internal: () => say`Something went wrong on our side.`,
    },
    giveUp: organization =>
      organization === null
        ? say`If it happens again, tell whoever sent you the link, and mention the reference.`
        : say`If it happens again, tell ${organization}, and mention the reference.`,
  },

  refused: {
    invalid_link: {
      title: say`This link does not work`,
      lead: () => say`It may have been cut off on its way to you. Ask whoever sent it to you for a new one.`,
    },
    user_inactive: {
      title: say`This link is paused`,
      lead: organization =>
        organization === null
          ? say`The account it was made for is not active. Ask whoever sent it to you.`
          : say`The ${organization} account it was made for is not active. Ask ${organization} to activate it.`,
    },
    unauthorized_origin: {
      title: say`The way back is not approved`,
      lead: organization =>
        organization === null
          ? say`This link leads back to an unauthorized origin, an address that is not approved.`
          : say`This link leads back to an unauthorized origin, an address that ${organization} has not approved.`,
    },
    other_browser: {
      title: say`Finish where you started`,
      lead: () =>
        say`This was started in another browser or device. Go back to it, or open the link again here.`,
    },
    cookies_blocked: {
      title: say`Your browser blocks cookies`,
      lead: () =>
        say`One cookie is needed to know that you are the person who started. Allow cookies for this site, then open the link again.`,
    },
    too_many_requests: {
      title: say`Too many attempts`,
      lead: () => say`Wait a minute, then open the link again.`,
    },
    connector_gone: {
      title: say`This app is no longer offered`,
      lead: organization =>
        organization === null
          ? say`What this link was for can no longer be connected. Ask for a new link.`
          : say`${organization} no longer offers what this link was for. Ask ${organization} for a new link.`,
    },
    unavailable: {
      title: say`We will be right back`,
      lead: () =>
        say`This page is not available at the moment. Your link stays as it is; open it again in a few minutes.`,
    },
  },
}
