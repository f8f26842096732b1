import { say } from './sentence.ts'
import type { Words } from './words.ts'

/** A person is called by the whole name, because the family name comes first, and no blank stands beside a name. */
export const ja: Words = {
  language: 'ja',
  direction: 'ltr',
  languageName: '日本語',

  testMode: say`テストモード`,
  cancel: say`キャンセル`,
  close: say`閉じる`,
  done: say`完了`,
  back: say`戻る`,
  reference: say`照会番号`,
  tryAgain: say`もう一度試す`,
  youMayClose: say`このウィンドウは閉じてかまいません。`,
  contact: organization => say`${organization}に問い合わせる`,
  privacy: say`プライバシー`,
  terms: say`利用規約`,
  chooseLanguage: say`言語`,
  forWhom: user => say`${user}さん用`,
  asks: (organization, connector) =>
    say`${organization}のアシスタントが、お使いの${connector}アカウントの利用許可を求めています。`,
  notExpected: user =>
    user === null
      ? say`心当たりがありませんか？`
      : say`${user}さんご本人ではない、または心当たりがありませんか？`,
  someService: 'サービス',

  server: host => say`サーバー：${host}`,
  endsSharing: say`このアカウントは他のユーザーと共有されています。別のアカウントに置き換えた場合、そのアカウントは共有されません。`,

  picker: {
    title: say`どのアカウントを連携しますか？`,
    lead: organization => say`${organization}のアシスタントは、選択したアカウントだけを利用します。`,
    connected: say`連携済み`,
    needsKey: say`APIキーが必要`,
    noneTitle: say`連携できるアプリはまだありません`,
    none: organization => say`${organization}では、まだアプリが選択されていません。`,
    apps: say`アプリ`,
    search: count => say`${String(count)}個のアプリから検索`,
    noMatch: query => say`「${query}」に一致するアプリはありません。`,
    missing: say`お探しのアプリが見つかりませんか？`,
    missingLead: organization => say`${organization}に追加を依頼してください。`,
    all: say`すべて`,
    categories: {
      communication: say`コミュニケーション`,
      productivity: say`仕事効率化`,
      files: say`ファイル`,
      development: say`開発`,
      sales: say`営業`,
      support: say`サポート`,
      finance: say`財務・会計`,
      data: say`データ`,
      other: say`その他`,
    },
    keys: say`↑ ↓ で移動 · Enter で選択`,
  },

  consent: {
    title: (connector, organization) => say`${connector}を${organization}と連携`,
    permissions: say`アシスタントができるようになること`,
    replaces: account => say`すでに${account}として連携しています。続けると、この連携は置き換えられます。`,
    trust: (connector, organization) =>
      say`ログインは${connector}の公式サイトで行います。パスワードやキーが${organization}やそのAIモデルに知られることはありません。連携はいつでも解除できます。`,
    start: connector => say`${connector}に進む`,
    leaving: connector => say`${connector}を開いています…`,
    insideApp: connector =>
      say`このページは別のアプリの中で開かれています。ここで${connector}にログインできない場合は、普段お使いのブラウザでこのページを開いてください。`,
    copy: say`アドレスをコピー`,
    copied: say`コピーしました`,
    kinds: {
      read: say`情報の閲覧`,
      create: say`新しい項目の作成`,
      change: say`既存の項目の変更`,
      delete: say`項目の削除`,
    },
    more: count => say`ほか${String(count)}件`,
    wholeAccount: {
      title: connector => say`お使いの${connector}アカウントの利用`,
      detail: say`閲覧、作成、変更、削除が含まれる場合があります。`,
    },
    otherWay: connector => say`代わりに${connector}の公式連携を使う`,
    otherConnector: connector => say`代わりに${connector}を使う`,
  },

  waiting: {
    title: say`もう一つのウィンドウで続けてください`,
    lead: connector =>
      say`そのウィンドウで${connector}にログインしてください。このページは自動的に進みます。`,
    stillTitle: say`まだ手続き中ですか？`,
    stillLead: connector =>
      say`${connector}からの応答を待っています。ウィンドウを閉じた場合は、もう一度開いてください。`,
    again: say`もう一度開く`,
    blockedTitle: say`ブラウザがウィンドウをブロックした可能性があります`,
    blockedLead: connector =>
      say`${connector}のウィンドウが開かない場合は、このサイトのポップアップを許可してもう一度開くか、このタブで続けてください。`,
    here: say`このタブで続ける`,
  },

  opening: {
    title: say`少々お待ちください`,
    slow: say`通常より時間がかかっています。このページを開いたままお待ちください。`,
    unreachable: say`ページを読み込めませんでした。接続を確認して、もう一度お試しください。`,
    noScript: say`このページにはJavaScriptが必要です。このサイトで許可するか、代わりにメールでリンクを送るよう依頼してください。`,
  },

  offline: say`オフラインです。接続が回復すると、このページは自動的に進みます。`,

  apiKey: {
    title: connector => say`${connector}のAPIキーで連携`,
    where: say`どこで確認できますか？`,
    trust: (connector, organization) =>
      say`キーは${connector}で確認され、暗号化されたうえで、二度と表示されません。${organization}やそのAIモデルに知られることはありません。連携はいつでも解除できます。`,
    show: say`表示`,
    hide: say`非表示`,
    steps: say`取得方法`,
    submit: say`確認して連携`,
    checking: connector => say`${connector}で確認しています…`,
    useKey: say`代わりにAPIキーを使う`,
    useSignIn: connector => say`代わりに${connector}でサインイン`,
    problem: {
      address_unfit: connector =>
        say`印の付いた項目をご確認ください。${connector}のアドレスではないようです。`,
      format_unfit: () =>
        say`印の付いた項目の形式が正しくないようです。すべてコピーされているかご確認ください。`,
      fields_missing: () => say`未入力の項目があります。すべての項目に入力してください。`,
      key_rejected: connector =>
        say`${connector}でこのキーは受け付けられませんでした。キー全体をコピーしたか、無効になっていないかをご確認ください。`,
      key_check_unavailable: connector =>
        say`${connector}で現在このキーを確認できないため、保存しませんでした。しばらくしてからもう一度お試しください。`,
      scope_missing: connector =>
        say`${connector}でこのキーは有効ですが、権限が足りません。ヒントに書かれた権限を付けて、新しいキーを作成してください。`,
      server_changed: connector =>
        say`${connector}のサーバーが変わったため、何も送信していません。続ける前に、上のアドレスをご確認ください。`,
    },
  },

  chooseSite: {
    site: {
      title: say`サイトを選択`,
      lead: (connector, organization) =>
        say`お使いの${connector}アカウントには複数のサイトがあります。${organization}のアシスタントが使うのは、選択したサイトだけです。`,
      sites: say`サイトの一覧`,
      unlisted: say`一覧からサイトを1つ選択してください。`,
    },
    organization: {
      title: say`組織を選択`,
      lead: (connector, organization) =>
        say`お使いの${connector}アカウントは複数の組織で利用できます。${organization}のアシスタントが使うのは、選択した組織だけです。`,
      sites: say`組織の一覧`,
      unlisted: say`一覧から組織を1つ選択してください。`,
    },
  },

  chooseAccount: {
    title: say`置き換えますか、追加しますか？`,
    lead: (connector, account) =>
      say`${connector}に${account}としてサインインしました。別の${connector}アカウントがすでに接続されています。`,
    leadUnnamed: connector => say`別の${connector}アカウントがすでに接続されています。`,
    choices: say`選択肢`,
    add: say`別のアカウントとして追加`,
    addDetail: say`両方とも接続されたままになります。どちらを使うかはアシスタントが確認します。`,
    replace: label => say`${label}を置き換える`,
    replaceDetail: say`このアカウントの接続は解除されます。`,
    unlisted: say`そのアカウントは接続されていません。もう一度選択してください。`,
  },

  receipt: {
    data: say`お客様のデータ`,
    untouched: say`何も連携されず、何も共有されていません。`,
    unchanged: say`リンクを再度開いても何も変わらず、何も共有されていません。`,
    account: say`アカウント`,
    user: say`ご利用者`,
    usedBy: say`利用元`,
    assistant: organization => say`${organization}のアシスタント`,
    hiddenFrom: organization => say`${organization}に非公開`,
    secrets: say`パスワードとキー`,
    undo: say`連携の解除`,
    settings: organization => say`${organization}の設定からいつでも可能`,
  },

  connected: {
    title: connector => say`${connector}と連携しました`,
    lead: organization => say`${organization}のアシスタントが、中断したところから作業を再開できます。`,
    back: organization => say`${organization}に戻る`,
    another: say`別のアプリを連携`,
    awaiting: organization => say`${organization}で連携を完了しています`,
  },

  returning: {
    title: {
      success: organization => say`${organization}に戻ります`,
      exit: organization => say`${organization}に戻ります`,
      error: (_, connector) =>
        connector === null ? say`アカウントを連携できませんでした` : say`${connector}と連携できませんでした`,
    },
    lead: {
      success: organization => say`${organization}が開くと、連携が完了します。`,
      exit: () => say`連携が行われる前に中止しました。`,
      error: organization => say`${organization}に戻りますので、そこからもう一度お試しください。`,
    },
    signedIn: connector =>
      connector === null
        ? say`ログインしました。パスワードとキーが知られることはありません。`
        : say`${connector}にログインしました。パスワードとキーが知られることはありません。`,
    button: say`アプリに戻る`,
    hint: say`何も開かない場合は、ボタンを押してください。`,
  },

  connections: {
    title: say`連携中のアカウント`,
    lead: organization => say`${organization}のアシスタントが利用できるアカウントです。`,
    open: say`連携中のアカウントを表示`,
    openLead: organization =>
      say`${organization}と連携したアカウントと利用状況を確認し、一時停止や解除ができます。`,
    noneTitle: say`連携はまだありません`,
    none: organization => say`${organization}と連携したアカウントはまだありません。`,
    state: {
      active: say`連携中`,
      needs_reauth: say`再ログインが必要`,
      paused: say`一時停止中`,
    },
    status: say`状態`,
    since: say`連携日`,
    activity: say`最近の利用`,
    noActivity: say`アシスタントはまだこのアカウントを利用していません。`,
    activityNote: say`表示されるのは名前と時刻だけで、内容は含まれません。`,
    failedCall: say`失敗`,
    pausedUntil: time => say`${time}まで一時停止中です。`,
    pausedLead: organization =>
      say`それまで${organization}のアシスタントはこのアカウントを利用できません。その後、自動的に再開します。`,
    needsReauth: connector =>
      say`${connector}はこの連携を受け付けなくなりました。利用するには再連携してください。`,
    reconnectElsewhere: organization =>
      say`このアカウントを再連携するには、${organization}を開いてください。`,
    pause: say`1時間だけ一時停止`,
    resume: say`今すぐ再開`,
    label: say`名前`,
    labelHint: say`アシスタントはこの名前を見てアカウントを選びます。`,
    labelRejected: say`別の名前を入力してください。1行で、ほかのアカウントと異なる名前にしてください。`,
    save: say`保存`,
    add: say`別のアカウントを追加`,
    reconnect: say`再連携`,
    disconnect: say`連携を解除`,
    back: say`連携一覧に戻る`,
    confirmTitle: connector => say`${connector}の連携を解除しますか？`,
    confirmLead: (organization, connector) =>
      say`${organization}のアシスタントは、この${connector}アカウントを利用できなくなります。後からもう一度連携できます。`,
    keep: say`連携を維持する`,
    doneTitle: connector => say`${connector}の連携を解除しました`,
    doneLead: organization => say`${organization}のアシスタントは、このアカウントを利用できなくなりました。`,
    stored: say`保存していたアクセス情報`,
    deleted: say`削除しました。アシスタントによる利用は直ちに停止しました。`,
    atProvider: connector => say`${connector}側`,
    revocation: {
      pending: connector => say`${connector}にアクセス権の取り消しを依頼しています。`,
      revoked: connector => say`${connector}でアクセス権が取り消されたことを確認しました。`,
      not_supported: connector =>
        say`${connector}側のアクセス権をこちらから取り消すことはできません。念のため、${connector}のアカウント設定でキーまたは権限を削除してください。`,
      kept_shared: connector =>
        say`別の連携が同じ権限を利用しているため、取り消していません。${connector}アカウントの設定で削除できます。`,
      gave_up: connector =>
        say`${connector}でアクセス権が取り消されたことを確認できませんでした。${connector}のアカウント設定で削除してください。`,
    },
    checkAgain: say`もう一度確認`,
    clients: say`サインインしたアプリ`,
    signOut: client => say`${client}をサインアウト`,
  },

  signIn: {
    title: (client, organization) => say`${client}に${organization}のツールの使用を許可しますか？`,
    lead: (client, organization) =>
      say`${client}は、${organization}に接続したアカウントを使って、これらのツールをあなたに代わって呼び出せるようになります。`,
    client: say`クライアント`,
    returnsTo: say`戻り先`,
    thisDevice: say`このデバイスのアプリ`,
    tools: say`ツール`,
    warning: client =>
      say`${client}でこの操作を始めたばかりの場合にだけ続けてください。パスワードやキーが見られることはありません。`,
    allow: say`許可する`,
    deny: say`許可しない`,
  },

  expired: {
    title: say`このリンクは有効期限が切れています`,
    lead: () => say`アカウントを守るため、リンクは短い時間だけ有効です。`,
    ask: organization => say`${organization}に新しいリンクを依頼`,
    askedTitle: say`リクエストを送信しました`,
    askedLead: organization =>
      say`新しいリンクが必要なことは${organization}で確認でき、送るかどうかは${organization}が判断します。届かない場合は、${organization}にお問い合わせください。`,
  },

  withdrawn: { title: say`このリンクは無効になりました`, lead: say`完了する前に取り消されました。` },

  used: {
    title: say`このリンクは使用済みです`,
    lead: connector =>
      connector === null
        ? say`リンクは一度しか使えません。`
        : say`このリンクで${connector}との連携が済んでいます。リンクは一度しか使えません。`,
    unconfirmed: connector =>
      say`${connector}との連携はまだ完了していません。連携元のアプリによる確認待ちです。リンクは一度しか使えません。`,
  },

  askForNewLink: organization =>
    organization === null
      ? say`送信元に新しいリンクを依頼してください。`
      : say`${organization}に新しいリンクを依頼してください。`,

  cancelled: {
    title: say`キャンセルしました`,
    lead: connector =>
      connector === null
        ? say`有効期限内であれば、リンクをもう一度開けます。`
        : say`${connector}とは連携していません。有効期限内であれば、リンクをもう一度開けます。`,
    unexpectedTitle: say`このリクエストを中止しました`,
    unexpectedLead: organization =>
      organization === null
        ? say`慎重にご対応いただき、ありがとうございます。リンクの入ったメッセージは転送せずに削除してください。`
        : say`慎重にご対応いただき、ありがとうございます。リンクの入ったメッセージは転送せずに削除し、また届いた場合は${organization}にお知らせください。`,
  },

  failed: {
    title: connector =>
      connector === null ? say`アカウントを連携できませんでした` : say`${connector}と連携できませんでした`,
    reason: {
      provider_error: connector => say`${connector}で問題が発生し、処理が完了しませんでした。`,
      provider_timeout: connector => say`${connector}からの応答に時間がかかりすぎました。`,
      provider_unavailable: connector => say`${connector}に現在接続できません。`,
      exchange_failed: connector => say`${connector}でログインが確認されませんでした。`,
      issuer_mismatch: connector => say`応答が${connector}からのものではないため、拒否しました。`,
      invalid_state: () => say`応答がここで始めたログインのものではないため、拒否しました。`,
      session_expired: () => say`ログインしている間に、リンクの有効期限が切れました。`,
      key_rejected: connector => say`${connector}でキーが受け付けられませんでした。`,
      key_check_unavailable: connector => say`${connector}で現在キーを確認できないため、保存しませんでした。`,
      scope_missing: connector => say`${connector}で、必要な権限の一部が許可されませんでした。`,
      no_site: connector =>
        say`${connector}で、このアカウントで使えるサイトや組織が見つかりませんでした。管理者に追加を依頼するか、別のアカウントでログインしてください。`,
      connector_removed: connector => say`${connector}はここでは利用できなくなりました。`,
      internal: () => say`こちら側で問題が発生しました。`,
    },
    giveUp: organization =>
      organization === null
        ? say`また起こる場合は、照会番号を添えて、リンクの送信元にお知らせください。`
        : say`また起こる場合は、照会番号を添えて、${organization}にお知らせください。`,
  },

  refused: {
    invalid_link: {
      title: say`このリンクは使えません`,
      lead: () => say`アドレスの一部が欠けている可能性があります。送信元に新しいリンクを依頼してください。`,
    },
    user_inactive: {
      title: say`このリンクは一時停止中です`,
      lead: organization =>
        organization === null
          ? say`リンクの対象のアカウントが有効ではありません。送信元にお問い合わせください。`
          : say`リンクの対象の${organization}アカウントが有効ではありません。有効にするよう、${organization}に依頼してください。`,
    },
    unauthorized_origin: {
      title: say`このリンクは使用できません`,
      lead: organization =>
        organization === null
          ? say`承認されていないアドレスに移動するリンクです。`
          : say`${organization}が承認していないアドレスに移動するリンクです。`,
    },
    other_browser: {
      title: say`始めたときのブラウザで続けてください`,
      lead: () =>
        say`この手続きは別のブラウザまたは端末で始められました。そちらに戻るか、ここでリンクをもう一度開いてください。`,
    },
    opened_elsewhere: {
      title: say`このリンクは別のブラウザで開かれています`,
      lead: organization =>
        organization === null
          ? say`最初に開いたブラウザでのみ利用できます。このブラウザ用に新しいリンクを依頼してください。`
          : say`最初に開いたブラウザでのみ利用できます。このブラウザ用の新しいリンクを${organization}に依頼してください。`,
    },
    cookies_blocked: {
      title: say`ブラウザがCookieをブロックしています`,
      lead: () =>
        say`手続きを始めたご本人であることを確かめるため、Cookieが1つ必要です。このサイトでCookieを許可してから、リンクをもう一度開いてください。`,
    },
    too_many_requests: {
      title: say`試行回数が多すぎます`,
      lead: () => say`1分ほど待ってから、リンクをもう一度開いてください。`,
    },
    connector_gone: {
      title: say`このアプリは提供が終了しました`,
      lead: organization =>
        organization === null
          ? say`このリンクの対象は、現在連携できません。新しいリンクを依頼してください。`
          : say`このリンクの対象は、${organization}では提供されなくなりました。${organization}に新しいリンクを依頼してください。`,
    },
    unavailable: {
      title: say`まもなく再開します`,
      lead: () =>
        say`このページは現在ご利用いただけません。リンクはそのまま使えますので、数分後にもう一度開いてください。`,
    },
    organization_moving: {
      title: say`少々お待ちください`,
      lead: () =>
        say`このページは別のサーバーに移行中です。リンクはそのまま使えますので、数秒後にもう一度お試しください。`,
    },
    wrong_cell: {
      title: say`このページはここでは表示できません`,
      lead: () => say`このリンクは別のサーバーのものです。リンクを受け取った場所からもう一度開いてください。`,
    },
    organization_suspended: {
      title: say`連携は一時停止中です`,
      lead: organization =>
        organization === null
          ? say`アカウントの連携は現在一時停止中です。既存の連携はそのまま保持されています。リンクの送信元にお問い合わせください。`
          : say`${organization}では現在アカウントを連携できません。既存の連携はそのまま保持されています。再開の時期は${organization}にお問い合わせください。`,
    },
    sign_in_invalid: {
      title: say`このサインインは続行できません`,
      lead: () => say`期限切れか、完了済みか、情報が不足しています。元のアプリからやり直してください。`,
    },
    sign_in_not_allowed: {
      title: say`アクセス権がありません`,
      lead: organization =>
        organization === null
          ? say`有効なアカウントがありません。アプリの管理者にお問い合わせください。`
          : say`${organization}に有効なアカウントがありません。${organization}にアクセス権を依頼してください。`,
    },
    sign_in_unmatched: {
      title: say`アカウントを確認できませんでした`,
      lead: organization =>
        organization === null
          ? say`サインインサービスから、ご本人を識別する情報が送られませんでした。サインイン設定の確認をアプリの管理者に依頼してください。`
          : say`${organization}のサインインサービスから、ご本人を識別する情報が送られませんでした。サインイン設定の確認を${organization}に依頼してください。`,
    },
    sign_in_email_unverified: {
      title: say`メールアドレスが確認されていません`,
      lead: organization =>
        organization === null
          ? say`サインインサービスでメールアドレスが確認されていません。確認してからやり直すか、アプリの管理者にお問い合わせください。`
          : say`${organization}のサインインサービスでメールアドレスが確認されていません。確認してからやり直すか、${organization}にお問い合わせください。`,
    },
    sign_in_denied: {
      title: say`サインインできませんでした`,
      lead: organization =>
        organization === null
          ? say`サインインがキャンセルされたか、サインインサービスに拒否されました。元のアプリからやり直すか、アプリの管理者にアクセス権を依頼してください。`
          : say`サインインがキャンセルされたか、${organization}のサインインサービスに拒否されました。元のアプリからやり直すか、${organization}にアクセス権を依頼してください。`,
    },
    sign_in_failed: {
      title: say`サインインサービスを利用できません`,
      lead: organization =>
        organization === null
          ? say`数分後に元のアプリからやり直してください。解決しない場合は、アプリの管理者にお知らせください。`
          : say`${organization}のサインインサービスを利用できませんでした。数分後に元のアプリからやり直してください。解決しない場合は、${organization}にお知らせください。`,
    },
  },
}
