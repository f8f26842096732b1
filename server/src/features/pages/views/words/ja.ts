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
  endsSharing: say`このアカウントは他のユーザーと共有されています。置き換えた場合、新しいアカウントは共有されません。`,
  reconnectReason: {
    endsOn: (connector, date) =>
      say`${connector}との連携は${date}に終了します。引き続き利用するには再連携してください。`,
    newKeyBy: (connector, date) =>
      say`${connector}では${date}までに新しいAPIキーが必要です。引き続き利用するには、ここで入力してください。`,
    ended: connector => say`${connector}との連携は終了しました。利用するには再連携してください。`,
    failing: connector =>
      say`${connector}との連携はまもなく終了する可能性があります。引き続き利用するには再連携してください。`,
  },

  picker: {
    title: say`どのアカウントを連携しますか？`,
    lead: organization => say`${organization}のアシスタントは、選択したアカウントだけを利用します。`,
    connected: say`連携済み`,
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
    needs: say`APIキーが必要`,
    title: connector => say`${connector}のAPIキーで連携`,
    where: say`どこで確認できますか？`,
    trust: (connector, organization) =>
      say`キーは${connector}で確認し、暗号化して保存します。再び表示されることはありません。${organization}やそのAIモデルに知られることはありません。連携はいつでも解除できます。`,
    show: say`表示`,
    hide: say`非表示`,
    steps: say`取得方法`,
    submit: say`確認して連携`,
    checking: connector => say`${connector}で確認しています…`,
    use: say`代わりにAPIキーを使う`,
    useSignIn: connector => say`代わりに${connector}にログイン`,
    replace: say`APIキーを変更`,
    replaceLead: say`空欄の項目は現在の値のままになります。`,
    replaceSubmit: say`確認して変更`,
    replaced: say`新しい認証情報に切り替えました。`,
    optional: say`任意`,
    chooseFile: say`ファイルを選択`,
    problem: {
      address_unfit: connector =>
        say`印の付いた項目をご確認ください。お使いの${connector}のアドレスではないようです。`,
      format_unfit: () =>
        say`印の付いた項目の形式が正しくないようです。すべてコピーされているかご確認ください。`,
      fields_missing: () => say`未入力の項目があります。すべての項目に入力してください。`,
      key_rejected: connector =>
        say`${connector}でこのキーは受け付けられませんでした。キー全体をコピーしたか、無効になっていないかをご確認ください。`,
      key_check_unavailable: connector =>
        say`${connector}で現在このキーを確認できないため、保存しませんでした。しばらくしてからもう一度お試しください。`,
      scope_missing: connector =>
        say`${connector}でこのキーは有効ですが、権限が足りません。ヒントに書かれた権限を付けて、新しいキーを作成してください。`,
      other_account: connector =>
        say`これは${connector}の別のアカウントのものです。変更はしていません。そのアカウントを使う場合は、前のページで追加してください。`,
      nothing_entered: () => say`新しい値を1つ以上入力してください。`,
      server_changed: connector =>
        say`${connector}のサーバーが変わったため、何も送信していません。続ける前に、上のアドレスをご確認ください。`,
      private_key_not_a_key: () =>
        say`これは秘密鍵ではありません。最初の行から最後の行まですべて貼り付けるか、ファイルを選択してください。`,
      private_key_wrong_file: connector =>
        say`これは${connector}が提供するファイルではありません。鍵が含まれるJSONファイルを選択してください。`,
      private_key_encrypted: () =>
        say`この秘密鍵はパスフレーズで暗号化されています。パスフレーズのない鍵を入力してください。`,
      private_key_public_key: () => say`これは公開鍵です。対応する秘密鍵を入力してください。`,
      private_key_certificate: () => say`これは証明書です。対応する秘密鍵を入力してください。`,
      private_key_wrong_type: connector =>
        say`${connector}には別の種類の秘密鍵が必要です。手順をご確認ください。`,
      private_key_wrong_curve: connector =>
        say`${connector}には別の曲線の秘密鍵が必要です。手順をご確認ください。`,
      private_key_too_small: () => say`この秘密鍵は短すぎます。2048ビット以上の鍵を作成してください。`,
      private_key_too_large: () => say`この秘密鍵は長すぎます。8192ビット以下の鍵を作成してください。`,
      certificate_not_a_certificate: () =>
        say`これは証明書ではありません。最初の行から最後の行まですべて貼り付けるか、ファイルを選択してください。`,
      certificate_private_key: () => say`これは秘密鍵です。対応する証明書を入力してください。`,
      certificate_wrong_key: () =>
        say`この証明書は別の秘密鍵のものです。対応する証明書と秘密鍵を入力してください。`,
      certificate_expired: () => say`この証明書は有効期限が切れています。有効な証明書を入力してください。`,
      certificate_not_yet_valid: () =>
        say`この証明書はまだ有効期間に入っていません。現在有効な証明書を入力してください。`,
      certificate_refused: connector =>
        say`${connector}でこの証明書が拒否されました。登録済みの証明書であること、失効していないことを確認してください。`,
    },
  },

  credentialsForm: {
    needs: say`認証情報が必要`,
    title: connector => say`${connector}のアカウントを連携`,
    where: say`どこで確認できますか？`,
    trust: (connector, organization) =>
      say`入力内容は${connector}で確認し、暗号化して保存します。再び表示されることはありません。${organization}やそのAIモデルに知られることはありません。連携はいつでも解除できます。`,
    steps: say`取得方法`,
    use: say`代わりに認証情報を入力する`,
    replace: say`認証情報を変更`,
    problem: {
      key_rejected: connector =>
        say`${connector}でこの認証情報は受け付けられませんでした。各項目の内容と、有効期限切れや失効がないかを確認してください。`,
      key_check_unavailable: connector =>
        say`${connector}で認証情報を確認できなかったため、保存していません。しばらくしてからもう一度お試しください。`,
      scope_missing: connector =>
        say`${connector}でこの認証情報は受け付けられましたが、権限が足りません。ヒントに記載された権限を追加して、もう一度お試しください。`,
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
    title: say`置き換えますか？それとも追加しますか？`,
    lead: (connector, account) =>
      say`${connector}に${account}としてログインしました。別の${connector}アカウントがすでに連携されています。`,
    leadUnnamed: connector => say`別の${connector}アカウントがすでに連携されています。`,
    choices: say`選択肢`,
    add: say`別のアカウントとして追加`,
    addDetail: say`両方とも連携されたままになります。どちらを使うかはアシスタントが確認します。`,
    replace: label => say`${label}を置き換える`,
    replaceDetail: say`このアカウントの連携は解除されます。`,
    unlisted: say`そのアカウントの連携はすでに解除されています。もう一度選択してください。`,
  },

  receipt: {
    data: say`お客様のデータ`,
    untouched: say`連携も共有も行われていません。`,
    unchanged: say`リンクをもう一度開いても、何も変わらず、何も共有されていません。`,
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
      say`${organization}と連携したアカウントと利用状況を確認できます。一時停止や解除もできます。`,
    noneTitle: say`連携はまだありません`,
    none: organization => say`${organization}と連携したアカウントはまだありません。`,
    sharedTitle: say`共有されているアカウント`,
    sharedLead: organization =>
      say`${organization}のアシスタントは、これらのアカウントも利用できます。変更できるのは所有者だけです。`,
    sharedByOrganization: organization => say`${organization}のアカウント`,
    state: {
      active: say`連携中`,
      at_risk: say`まもなく終了`,
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
    deleted: say`削除しました。アシスタントはこのアカウントを利用できなくなりました。`,
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
    pending: say`確認待ちの操作`,
    pendingLead: organization =>
      say`ここでは拒否のみできます。承認するには、${organization}で依頼を開いてください。`,
    refuse: action => say`許可しない：${action}`,
    remembered: say`確認なしで許可した操作`,
    rememberedUntil: time => say`${time}まで`,
    usesLeft: count => say`残り${count}回`,
    anyText: say`文章は自由`,
    askAgain: action => say`再び確認する：${action}`,
    decisions: say`最近の確認`,
    decision: { approve: say`承認`, deny: say`許可しない` },
    clients: say`ツールを利用できるアプリ`,
    signOut: client => say`${client}をログアウト`,
  },

  signIn: {
    title: (client, organization) => say`${client}に${organization}のツールの使用を許可しますか？`,
    lead: (client, organization) =>
      say`${client}は、${organization}と連携したアカウントを使い、あなたに代わってこれらのツールを利用できるようになります。`,
    client: say`アプリ`,
    returnsTo: say`戻り先`,
    thisDevice: say`このデバイスのアプリ`,
    tools: say`ツール`,
    warning: client =>
      say`${client}でこの操作を始めたばかりの場合にだけ続けてください。このアプリにパスワードやキーが知られることはありません。`,
    allow: say`許可する`,
    deny: say`許可しない`,
  },

  approval: {
    title: connector => say`${connector}でのこの操作を承認しますか？`,
    lead: organization => say`${organization}のアシスタントが、次の操作を一度だけ実行しようとしています。`,
    tool: say`操作`,
    serverTool: say`サーバーによる操作名`,
    noAccount: say`アカウントなし`,
    labeled: label => say`ラベル：${label}`,
    destructive: say`データが変更または削除される可能性があり、元に戻せないことがあります。`,
    unverified: say`このサーバーの動作は検証されていません。データが変更または削除される可能性があります。`,
    noArguments: say`この操作には他の詳細がありません。`,
    noPreview: connector =>
      say`${connector}から詳細を読み込めなかったため、名前の代わりにIDが表示されている場合があります。`,
    roles: { recipient: say`宛先`, amount: say`金額`, target: say`対象` },
    empty: say`空`,
    folded: {
      long: count => say`未表示の${count}文字`,
      binary: count => say`エンコードされた未表示のデータ${count}文字`,
    },
    showAll: say`すべて表示`,
    mixed: words => say`異なる文字体系の文字が混ざっています：${words}`,
    previous: {
      same: time => say`同じ操作が${time}にすでに実行されています。`,
      marked: time => say`前回（${time}）から変わったところに印を付けています。`,
      lastTime: say`前回`,
      added: say`前回はありませんでした`,
      differs: say`前回と異なります`,
      gone: say`今回はありません`,
    },
    reasons: organization => say`${organization}が確認を求める理由`,
    request: say`送信されるリクエスト`,
    once: say`実行されるのはこの操作だけで、一度だけです。内容が変わった場合は、もう一度確認されます。`,
    openFirst: say`承認する前に、折りたたまれた内容をすべて表示してください。`,
    approve: say`一度だけ承認`,
    remember: {
      open: say`承認して記憶…`,
      label: say`同じ操作を確認なしで許可する期間`,
      periods: {
        hour: uses => say`1時間、最大${uses}回`,
        day: uses => say`1日、最大${uses}回`,
        month: uses => say`30日間、最大${uses}回`,
      },
      anyText: say`文章が異なる場合も許可する`,
      hint: say`それ以外はすべて表示どおりの場合に限ります。アカウントの管理画面で取り消せます。`,
      approve: say`承認して記憶`,
    },
    deny: say`許可しない…`,
    reason: say`アシスタントに伝える理由`,
    denyCall: say`許可しない`,
    entry: {
      title: say`確認待ちの操作があります`,
      lead: organization => say`${organization}のアシスタントが続行するには、承認が必要です。`,
      again: say`ほかの人が代わりに決定できないように、決定のたびにサインインします。`,
      signIn: say`サインインして確認`,
      view: say`リクエストを見る`,
      fromApp: organization =>
        say`内容を確認して決定するには、${organization}でこのリクエストを開いてください。`,
    },
    endings: {
      approved: {
        title: say`承認しました`,
        lead: organization =>
          say`${organization}のアシスタントは、この操作を一度だけ実行できます。ほかの操作には再度承認が必要です。`,
      },
      executing: {
        title: say`承認しました`,
        lead: organization => say`${organization}のアシスタントが実行中です。`,
      },
      done: {
        title: say`完了しました`,
        lead: organization =>
          say`${organization}のアシスタントがこの操作を一度実行しました。繰り返すには再度承認が必要です。`,
      },
      remembered: {
        title: say`承認しました`,
        lead: organization =>
          say`選択した期間、${organization}のアシスタントは同じ操作を確認なしで実行できます。`,
      },
      waits_for_others: {
        title: say`承認しました`,
        lead: organization => say`${organization}の別の人の承認も必要です。`,
      },
      denied: {
        title: say`許可しませんでした`,
        lead: organization => say`何も実行されていません。${organization}のアシスタントに伝えられました。`,
      },
      failed: {
        title: say`承認されましたが、失敗しました`,
        lead: organization => say`${organization}のアシスタントが一度試みましたが、成功しませんでした。`,
      },
      unknown: {
        title: say`承認されましたが、結果は不明です`,
        lead: organization =>
          say`${organization}のアシスタントの実行中に接続が切れたため、実行されたかどうかわかりません。繰り返されることはありません。`,
      },
      expired: {
        title: say`決定の期限が過ぎました`,
        lead: organization =>
          say`このリクエストは終了し、何も実行されていません。${organization}のアシスタントがもう一度確認を求めることができます。`,
      },
      account_changed: {
        title: say`アカウントが変わりました`,
        lead: organization =>
          say`このリクエストのアカウントが再接続、接続解除、または共有の変更をされたため、何も実行されていません。${organization}のアシスタントがもう一度確認を求めることができます。`,
      },
      action_changed: {
        title: say`操作の内容が変わりました`,
        lead: organization =>
          say`確認の対象がその後変わったため、何も実行されていません。${organization}のアシスタントがもう一度確認を求めることができます。`,
      },
      rules_changed: {
        title: say`ルールが変わりました`,
        lead: organization =>
          say`この操作は許可されなくなったか、ほかの人の承認が必要になったため、何も実行されていません。${organization}のアシスタントがもう一度確認を求めることができます。`,
      },
    },
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
      certificate_refused: connector => say`${connector}で証明書が拒否されました。`,
      scope_missing: connector => say`${connector}で、必要な権限の一部が許可されませんでした。`,
      no_site: connector =>
        say`${connector}で、このアカウントで使えるサイトや組織が見つかりませんでした。管理者に追加を依頼するか、別のアカウントでログインしてください。`,
      connector_removed: connector => say`${connector}はここでは利用できなくなりました。`,
      internal: () => say`こちら側で問題が発生しました。`,
    },
    giveUp: organization =>
      organization === null
        ? say`問題が続く場合は、照会番号を添えて、リンクの送信元にお知らせください。`
        : say`問題が続く場合は、照会番号を添えて、${organization}にお知らせください。`,
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
        say`ご本人であることを確認するため、Cookieが1つ必要です。このサイトでCookieを許可してから、リンクをもう一度開いてください。`,
    },
    too_many_requests: {
      title: say`試行回数が多すぎます`,
      lead: () => say`1分ほど待ってから、リンクをもう一度開いてください。`,
    },
    connector_gone: {
      title: say`このアプリは提供が終了しました`,
      lead: organization =>
        organization === null
          ? say`このリンクの対象のアプリは、現在連携できません。新しいリンクを依頼してください。`
          : say`このリンクの対象のアプリは、${organization}では提供されなくなりました。${organization}に新しいリンクを依頼してください。`,
    },
    unavailable: {
      title: say`まもなく再開します`,
      lead: () =>
        say`このページは現在ご利用いただけません。リンクはそのまま使えます。数分後にもう一度開いてください。`,
    },
    organization_moving: {
      title: say`少々お待ちください`,
      lead: () =>
        say`このページは別のサーバーに移行中です。リンクはそのまま使えます。数秒後にもう一度お試しください。`,
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
      title: say`このログインは続行できません`,
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
          ? say`ログインサービスから、ご本人を識別する情報が送られませんでした。ログイン設定の確認をアプリの管理者に依頼してください。`
          : say`${organization}のログインサービスから、ご本人を識別する情報が送られませんでした。ログイン設定の確認を${organization}に依頼してください。`,
    },
    sign_in_email_unverified: {
      title: say`メールアドレスが確認されていません`,
      lead: organization =>
        organization === null
          ? say`ログインサービスでメールアドレスが確認されていません。確認してからやり直すか、アプリの管理者にお問い合わせください。`
          : say`${organization}のログインサービスでメールアドレスが確認されていません。確認してからやり直すか、${organization}にお問い合わせください。`,
    },
    sign_in_denied: {
      title: say`ログインできませんでした`,
      lead: organization =>
        organization === null
          ? say`ログインがキャンセルされたか、ログインサービスに拒否されました。元のアプリからやり直すか、アプリの管理者にアクセス権を依頼してください。`
          : say`ログインがキャンセルされたか、${organization}のログインサービスに拒否されました。元のアプリからやり直すか、${organization}にアクセス権を依頼してください。`,
    },
    sign_in_failed: {
      title: say`ログインサービスを利用できません`,
      lead: organization =>
        organization === null
          ? say`数分後に元のアプリからやり直してください。解決しない場合は、アプリの管理者にお知らせください。`
          : say`${organization}のログインサービスを利用できませんでした。数分後に元のアプリからやり直してください。解決しない場合は、${organization}にお知らせください。`,
    },
    approval_invalid: {
      title: say`このリクエストは開けません`,
      lead: () =>
        say`アドレスの一部が欠けているか、リクエストが終了しています。元のアプリからやり直してください。`,
    },
    approval_of_another_user: {
      title: say`このリクエストは別の人宛てです`,
      lead: organization =>
        organization === null
          ? say`このリクエストについて決定できないユーザーとしてサインインしています。`
          : say`${organization}に、このリクエストについて決定できないユーザーとしてサインインしています。`,
    },
  },
}
