import { type Sentence, say } from './sentence.ts'
import type { Words } from './words.ts'

const plurals = new Intl.PluralRules('ar')

const appsToSearch: Record<Intl.LDMLPluralRule, (count: string) => Sentence> = {
  zero: count => say`البحث في ${count} تطبيق`,
  one: () => say`البحث في تطبيق واحد`,
  two: () => say`البحث في تطبيقين`,
  few: count => say`البحث في ${count} تطبيقات`,
  many: count => say`البحث في ${count} تطبيقًا`,
  other: count => say`البحث في ${count} تطبيق`,
}

/**
 * A name is never the subject of a verb, which would have to agree with its gender, and no letter is joined to one:
 * only whole words stand before it. The reader is not addressed in the imperative, for the same reason.
 */
export const ar: Words = {
  language: 'ar',
  direction: 'rtl',
  languageName: 'العربية',

  testMode: say`وضع الاختبار`,
  cancel: say`إلغاء`,
  close: say`إغلاق`,
  done: say`تم`,
  back: say`رجوع`,
  reference: say`الرقم المرجعي`,
  tryAgain: say`إعادة المحاولة`,
  youMayClose: say`يمكنك إغلاق هذه النافذة.`,
  contact: organization => say`التواصل مع ${organization}`,
  privacy: say`الخصوصية`,
  terms: say`الشروط`,
  chooseLanguage: say`اللغة`,
  forWhom: user => say`من أجل ${user}`,
  asks: (organization, connector) => say`يطلب مساعد ${organization} استخدام حسابك في ${connector}.`,
  notExpected: user =>
    user === null ? say`ألم يكن هذا الطلب متوقعًا؟` : say`لست ${user}، أو لم يكن هذا الطلب متوقعًا؟`,
  someService: 'مزوّد الخدمة',

  server: host => say`الخادم: ${host}`,
  endsSharing: say`هذا الحساب مشترَك مع آخرين. إذا استُبدل، فلن يكون الحساب الجديد مشترَكًا.`,
  reconnectReason: {
    endsOn: (connector, date) =>
      say`ينتهي الربط مع ${connector} في ${date}. يُرجى إعادة الربط لمواصلة استخدام الحساب.`,
    newKeyBy: (connector, date) =>
      say`يطلب ${connector} مفتاح API جديدًا قبل ${date}. يُرجى إدخاله هنا لمواصلة استخدام الحساب.`,
    ended: connector => say`انتهى الربط مع ${connector}. يُرجى إعادة الربط لاستخدام الحساب من جديد.`,
    failing: connector => say`قد ينتهي الربط مع ${connector} قريبًا. يُرجى إعادة الربط لمواصلة استخدام الحساب.`,
  },

  picker: {
    title: say`ما الحساب المطلوب ربطه؟`,
    lead: organization => say`لا يستخدم مساعد ${organization} سوى الحسابات التي يقع عليها اختيارك.`,
    connected: say`تم الربط`,
    noneTitle: say`لا يوجد ما يمكن ربطه بعد`,
    none: organization => say`لم يتم اختيار أي تطبيقات لدى ${organization} بعد.`,
    apps: say`التطبيقات`,
    search: count => appsToSearch[plurals.select(count)](String(count)),
    noMatch: query => say`لا توجد تطبيقات مطابقة للبحث «${query}».`,
    missing: say`ألم يظهر التطبيق المطلوب؟`,
    missingLead: organization => say`يمكن طلب إضافته من ${organization}.`,
    all: say`الكل`,
    categories: {
      communication: say`التواصل`,
      productivity: say`الإنتاجية`,
      files: say`الملفات`,
      development: say`التطوير`,
      sales: say`المبيعات`,
      support: say`الدعم`,
      finance: say`المالية`,
      data: say`البيانات`,
      other: say`أخرى`,
    },
    keys: say`↑ ↓ للتنقل · Enter للاختيار`,
  },

  consent: {
    title: (connector, organization) => say`ربط ${connector} مع ${organization}`,
    permissions: say`ما سيتمكن المساعد من فعله`,
    replaces: account => say`يوجد ربط حالي بالحساب ${account}. ستؤدي المتابعة إلى استبداله.`,
    trust: (connector, organization) =>
      say`سيتم تسجيل الدخول في الموقع الرسمي الخاص بخدمة ${connector}. لا تظهر كلمة مرورك ولا مفاتيحك أبدًا أمام ${organization} أو نموذج الذكاء الاصطناعي المستخدَم، ويمكنك إلغاء الربط في أي وقت.`,
    start: connector => say`المتابعة إلى ${connector}`,
    leaving: connector => say`جارٍ فتح ${connector}…`,
    insideApp: connector =>
      say`فُتحت هذه الصفحة داخل تطبيق آخر. إذا تعذّر تسجيل الدخول إلى ${connector} هنا، فيُرجى فتح الصفحة في متصفحك المعتاد.`,
    copy: say`نسخ العنوان`,
    copied: say`تم النسخ`,
    kinds: {
      read: say`قراءة المعلومات`,
      create: say`إنشاء عناصر جديدة`,
      change: say`تعديل العناصر الموجودة`,
      delete: say`حذف العناصر`,
    },
    more: count => say`بالإضافة إلى ${String(count)} أخرى`,
    wholeAccount: {
      title: connector => say`استخدام حسابك في ${connector}`,
      detail: say`قد يشمل ذلك القراءة والإنشاء والتعديل والحذف.`,
    },
    otherWay: connector => say`استخدام التكامل الرسمي لخدمة ${connector} بدلًا من ذلك`,
    otherConnector: connector => say`استخدام ${connector} بدلًا من ذلك`,
  },

  waiting: {
    title: say`المتابعة في النافذة الأخرى`,
    lead: connector => say`يُرجى تسجيل الدخول إلى ${connector} هناك. ستتابع هذه الصفحة تلقائيًا.`,
    stillTitle: say`ألم يكتمل الأمر بعد؟`,
    stillLead: connector =>
      say`ما زلنا في انتظار الرد من ${connector}. إذا أُغلقت النافذة، فيُرجى فتحها من جديد.`,
    again: say`فتحها من جديد`,
    blockedTitle: say`ربما حظر متصفحك النافذة`,
    blockedLead: connector =>
      say`إذا لم تُفتح نافذة ${connector}، فيُرجى السماح بالنوافذ المنبثقة لهذا الموقع ثم فتحها من جديد، أو المتابعة في علامة التبويب هذه.`,
    here: say`المتابعة في علامة التبويب هذه`,
  },

  opening: {
    title: say`لحظة من فضلك`,
    slow: say`يستغرق هذا وقتًا أطول من المعتاد. يُرجى إبقاء الصفحة مفتوحة.`,
    unreachable: say`تعذّر تحميل الصفحة. يُرجى التحقق من الاتصال بالإنترنت ثم إعادة المحاولة.`,
    noScript: say`تحتاج هذه الصفحة إلى JavaScript. يُرجى السماح به لهذا الموقع، أو طلب رابط عبر البريد الإلكتروني بدلًا من ذلك.`,
  },

  offline: say`لا يوجد اتصال بالإنترنت. ستتابع الصفحة عند عودة الاتصال.`,

  apiKey: {
    needs: say`يتطلب مفتاح API`,
    title: connector => say`الربط باستخدام مفتاح API الخاص بحسابك في ${connector}`,
    where: say`أين يوجد هذا المفتاح؟`,
    trust: (connector, organization) =>
      say`نتحقق من المفتاح لدى ${connector} ونحفظه مشفّرًا، ولا يُعرض مرة أخرى. لا يظهر المفتاح أبدًا أمام ${organization} أو نموذج الذكاء الاصطناعي المستخدَم، ويمكنك إلغاء الربط في أي وقت.`,
    show: say`إظهار`,
    hide: say`إخفاء`,
    steps: say`طريقة الحصول عليه`,
    submit: say`التحقق والربط`,
    checking: connector => say`جارٍ التحقق لدى ${connector}…`,
    use: say`استخدام مفتاح API بدلًا من ذلك`,
    useSignIn: connector => say`تسجيل الدخول عبر ${connector} بدلًا من ذلك`,
    replace: say`استبدال مفتاح API`,
    replaceLead: say`اترك الحقل فارغًا للاحتفاظ بقيمته الحالية.`,
    replaceSubmit: say`التحقق والاستبدال`,
    replaced: say`بدأ استخدام بيانات الاعتماد الجديدة.`,
    optional: say`اختياري`,
    chooseFile: say`اختيار ملف`,
    problem: {
      address_unfit: connector => say`يُرجى التحقق من الحقل المحدد. لا يبدو أنه عنوانك لدى ${connector}.`,
      format_unfit: () => say`لا تبدو القيمة في الحقل المحدد صحيحة. يُرجى التأكد من نسخها كاملة.`,
      fields_missing: () => say`توجد بيانات ناقصة. يُرجى ملء جميع الحقول.`,
      key_rejected: connector =>
        say`لم يُقبل هذا المفتاح لدى ${connector}. يُرجى التأكد من نسخ المفتاح كاملًا ومن أنه لم يُلغَ.`,
      key_check_unavailable: connector =>
        say`تعذّر التحقق من هذا المفتاح لدى ${connector} حاليًا، لذلك لم نحفظه. يُرجى إعادة المحاولة بعد قليل.`,
      scope_missing: connector =>
        say`هذا المفتاح مقبول لدى ${connector}، لكن صلاحياته غير كافية. يُرجى إنشاء مفتاح بالصلاحيات المذكورة في التلميح.`,
      other_account: connector =>
        say`هذه البيانات تخص حسابًا آخر في ${connector}، لذلك لم يتغير شيء. لاستخدام ذلك الحساب، أضفه من الصفحة السابقة.`,
      nothing_entered: () => say`أدخل قيمة جديدة واحدة على الأقل.`,
      server_changed: connector =>
        say`تغيّر الخادم لدى ${connector}، لذلك لم يُرسَل أي شيء. يُرجى التحقق من العنوان أعلاه قبل المتابعة.`,
      private_key_not_a_key: () =>
        say`هذا ليس مفتاحًا خاصًا. الصقه كاملًا مع السطر الأول والسطر الأخير أو اختر الملف.`,
      private_key_wrong_file: connector =>
        say`هذا ليس الملف الذي توفّره ${connector}. اختر ملف JSON الذي يحتوي على المفتاح.`,
      private_key_encrypted: () => say`هذا المفتاح الخاص مشفّر بعبارة مرور. أدخل مفتاحًا من دون عبارة مرور.`,
      private_key_public_key: () => say`هذا مفتاح عام. أدخل المفتاح الخاص المقابل له.`,
      private_key_certificate: () => say`هذه شهادة. أدخل المفتاح الخاص المقابل لها.`,
      private_key_wrong_type: connector => say`تتطلب ${connector} مفتاحًا خاصًا من نوع آخر. راجع التعليمات.`,
      private_key_wrong_curve: connector => say`تتطلب ${connector} مفتاحًا خاصًا بمنحنى آخر. راجع التعليمات.`,
      private_key_too_small: () => say`هذا المفتاح الخاص قصير جدًا. أنشئ مفتاحًا بطول 2048 بت على الأقل.`,
      private_key_too_large: () => say`هذا المفتاح الخاص طويل جدًا. أنشئ مفتاحًا بطول 8192 بت على الأكثر.`,
      certificate_not_a_certificate: () =>
        say`هذه ليست شهادة. الصقها كاملة مع السطر الأول والسطر الأخير أو اختر الملف.`,
      certificate_private_key: () => say`هذا مفتاح خاص. أدخل الشهادة المقابلة له.`,
      certificate_wrong_key: () => say`هذه الشهادة تخص مفتاحًا خاصًا آخر. أدخل شهادة ومفتاحًا متطابقين.`,
      certificate_expired: () => say`انتهت صلاحية هذه الشهادة. أدخل شهادة سارية.`,
      certificate_not_yet_valid: () => say`لم تبدأ صلاحية هذه الشهادة بعد. أدخل شهادة سارية الآن.`,
      certificate_refused: connector =>
        say`لم تُقبل هذه الشهادة لدى ${connector}. تحقّق من أنها المسجّلة هناك ومن أنها لم تُلغَ.`,
    },
  },

  credentialsForm: {
    needs: say`يتطلب بيانات اعتماد`,
    title: connector => say`ربط حسابك في ${connector}`,
    where: say`أين توجد هذه البيانات؟`,
    trust: (connector, organization) =>
      say`نتحقق مما تُدخله لدى ${connector} ونحفظه مشفّرًا، ولا يُعرض مرة أخرى. لا يظهر أبدًا أمام ${organization} أو نموذج الذكاء الاصطناعي المستخدَم، ويمكنك إلغاء الربط في أي وقت.`,
    steps: say`طريقة الحصول عليها`,
    use: say`إدخال بيانات الاعتماد بدلًا من ذلك`,
    replace: say`استبدال بيانات الاعتماد`,
    problem: {
      key_rejected: connector =>
        say`لم يقبل ${connector} بيانات الاعتماد هذه. تحقق من كل حقل، ومن أنها لم تنتهِ صلاحيتها ولم تُلغَ.`,
      key_check_unavailable: connector =>
        say`تعذّر على ${connector} التحقق من بيانات الاعتماد الآن، لذلك لم نحفظها. يُرجى المحاولة مرة أخرى بعد قليل.`,
      scope_missing: connector =>
        say`يقبل ${connector} بيانات الاعتماد هذه، لكن أذوناتها غير كافية. أضف الأذونات المذكورة في التلميح، ثم حاول مرة أخرى.`,
    },
  },

  chooseSite: {
    site: {
      title: say`اختيار موقع`,
      lead: (connector, organization) =>
        say`لحسابك في ${connector} عدة مواقع. لن يستخدم مساعد ${organization} إلا الموقع الذي يقع عليه اختيارك.`,
      sites: say`مواقعك`,
      unlisted: say`يُرجى اختيار أحد المواقع في القائمة.`,
    },
    organization: {
      title: say`اختيار مؤسسة`,
      lead: (connector, organization) =>
        say`لحسابك في ${connector} عدة مؤسسات. لن يستخدم مساعد ${organization} إلا المؤسسة التي يقع عليها اختيارك.`,
      sites: say`مؤسساتك`,
      unlisted: say`يُرجى اختيار إحدى المؤسسات في القائمة.`,
    },
  },

  chooseAccount: {
    title: say`استبدال أم إضافة؟`,
    lead: (connector, account) =>
      say`تم تسجيل الدخول إلى ${connector} باسم ${account}. يوجد حساب ${connector} آخر مرتبط بالفعل.`,
    leadUnnamed: connector => say`يوجد حساب ${connector} آخر مرتبط بالفعل.`,
    choices: say`الخيارات`,
    add: say`إضافة كحساب آخر`,
    addDetail: say`يبقى الحسابان مرتبطين، ويسأل المساعد عن الحساب المطلوب استخدامه.`,
    replace: label => say`استبدال ${label}`,
    replaceDetail: say`سيُلغى ربط هذا الحساب.`,
    unlisted: say`لم يعد هذا الحساب مرتبطًا. يُرجى الاختيار مرة أخرى.`,
  },

  receipt: {
    data: say`بياناتك`,
    untouched: say`لم يتم ربط أي شيء أو مشاركته.`,
    unchanged: say`لم يتغيّر شيء عند فتحه مرة أخرى، ولم تتم مشاركة أي شيء.`,
    account: say`الحساب`,
    user: say`المستخدم`,
    usedBy: say`جهة الاستخدام`,
    assistant: organization => say`مساعد ${organization}`,
    hiddenFrom: organization => say`مخفي عن ${organization}`,
    secrets: say`كلمة مرورك ومفاتيحك`,
    undo: say`إلغاء الربط`,
    settings: organization => say`في أي وقت، من إعدادات ${organization}`,
  },

  connected: {
    title: connector => say`تم ربط ${connector}`,
    lead: organization => say`يمكن أن يتابع مساعد ${organization} من حيث توقف.`,
    back: organization => say`الرجوع إلى ${organization}`,
    another: say`ربط تطبيق آخر`,
    awaiting: organization => say`يجري استكمال الربط لدى ${organization}`,
  },

  returning: {
    title: {
      success: organization => say`جارٍ الرجوع إلى ${organization}`,
      exit: organization => say`جارٍ الرجوع إلى ${organization}`,
      error: (_, connector) => (connector === null ? say`تعذّر ربط الحساب` : say`تعذّر ربط ${connector}`),
    },
    lead: {
      success: organization => say`يكتمل الربط عند فتح ${organization}.`,
      exit: () => say`تم التوقف قبل ربط أي شيء.`,
      error: organization => say`جارٍ الرجوع إلى ${organization}، ويمكنك إعادة المحاولة من هناك.`,
    },
    signedIn: connector =>
      connector === null
        ? say`تم تسجيل الدخول. تبقى كلمة مرورك ومفاتيحك سرية.`
        : say`تم تسجيل الدخول إلى ${connector}. تبقى كلمة مرورك ومفاتيحك سرية.`,
    button: say`الرجوع إلى التطبيق`,
    hint: say`إذا لم يُفتح شيء، فيُرجى استخدام الزر.`,
  },

  connections: {
    title: say`حساباتك المرتبطة`,
    lead: organization => say`الحسابات التي يمكن لمساعد ${organization} استخدامها نيابةً عنك.`,
    open: say`عرض حساباتي المرتبطة`,
    openLead: organization =>
      say`يمكنك هنا الاطلاع على الحسابات المرتبطة مع ${organization} ومواعيد استخدامها. كما يمكنك إيقافها مؤقتًا أو إلغاء ربطها.`,
    noneTitle: say`لا توجد حسابات مرتبطة بعد`,
    none: organization => say`لم يتم ربط أي حساب مع ${organization} بعد.`,
    sharedTitle: say`حسابات مشترَكة معك`,
    sharedLead: organization =>
      say`يمكن لمساعد ${organization} أيضًا استخدام هذه الحسابات نيابةً عنك، ولا يستطيع تعديلها إلا أصحابها.`,
    sharedByOrganization: organization => say`حساب ${organization}`,
    state: {
      active: say`مرتبط`,
      at_risk: say`ينتهي قريبًا`,
      needs_reauth: say`يلزم تسجيل الدخول`,
      paused: say`موقوف مؤقتًا`,
    },
    status: say`الحالة`,
    since: say`منذ`,
    activity: say`آخر الاستخدامات`,
    noActivity: say`لم يستخدم المساعد هذا الحساب بعد.`,
    activityNote: say`تعرض القائمة الأسماء والأوقات، وليس المحتوى.`,
    failedCall: say`فشل`,
    pausedUntil: time => say`موقوف مؤقتًا حتى ${time}.`,
    pausedLead: organization =>
      say`حتى ذلك الحين لا يمكن لمساعد ${organization} استخدام هذا الحساب، ثم يُستأنف تلقائيًا.`,
    needsReauth: connector =>
      say`لم يعد هذا الربط مقبولًا لدى ${connector}. يُرجى إعادة الربط لاستخدام الحساب من جديد.`,
    reconnectElsewhere: organization => say`لإعادة ربط هذا الحساب، يُرجى فتح ${organization}.`,
    pause: say`إيقاف مؤقت لمدة ساعة`,
    resume: say`استئناف الآن`,
    label: say`الاسم`,
    labelHint: say`يرى المساعد هذا الاسم ويستخدمه لاختيار الحساب.`,
    labelRejected: say`يُرجى اختيار اسم آخر من سطر واحد لا يحمله حساب آخر.`,
    save: say`حفظ`,
    add: say`إضافة حساب آخر`,
    reconnect: say`إعادة الربط`,
    disconnect: say`إلغاء الربط`,
    back: say`الرجوع إلى حساباتك المرتبطة`,
    confirmTitle: connector => say`إلغاء ربط ${connector}؟`,
    confirmLead: (organization, connector) =>
      say`لن يتمكن مساعد ${organization} من استخدام حساب ${connector} هذا بعد الآن. يمكنك ربطه مجددًا لاحقًا.`,
    keep: say`الإبقاء على الربط`,
    doneTitle: connector => say`تم إلغاء ربط ${connector}`,
    doneLead: organization => say`لم يعد بإمكان مساعد ${organization} استخدام هذا الحساب.`,
    stored: say`بيانات الوصول المحفوظة`,
    deleted: say`حُذفت، ولم يعد بإمكان المساعد استخدام الحساب.`,
    atProvider: connector => say`لدى ${connector}`,
    revocation: {
      pending: connector => say`يجري الآن طلب إلغاء الوصول من ${connector}.`,
      revoked: connector => say`وصل من ${connector} تأكيد لإلغاء الوصول.`,
      not_supported: connector =>
        say`لا يمكننا إلغاء الوصول لدى ${connector}. للاطمئنان، يُرجى حذف المفتاح أو الإذن من حسابك هناك.`,
      kept_shared: connector =>
        say`يستخدم ربط آخر الإذن نفسه، لذلك لم يُلغَ هذا الإذن. يمكنك إزالته بنفسك من حسابك لدى ${connector}.`,
      gave_up: connector => say`لم يصل من ${connector} تأكيد لإلغاء الوصول. يُرجى إزالته من حسابك هناك.`,
    },
    checkAgain: say`التحقق مرة أخرى`,
    pending: say`بانتظار قرارك`,
    pendingLead: organization => say`يمكنك الرفض هنا. للموافقة، افتح الطلب في ${organization}.`,
    refuse: action => say`عدم السماح: ${action}`,
    remembered: say`مسموح به دون سؤالك`,
    rememberedUntil: time => say`حتى ${time}`,
    usesLeft: count => say`مرات الاستخدام المتبقية: ${count}`,
    anyText: say`أي نص`,
    askAgain: action => say`اسألني مجددًا: ${action}`,
    decisions: say`قراراتك الأخيرة`,
    decision: { approve: say`تمت الموافقة`, deny: say`غير مسموح` },
    clients: say`التطبيقات التي يمكنها استخدام أدواتك`,
    signOut: client => say`تسجيل خروج ${client}`,
  },

  signIn: {
    title: (client, organization) => say`السماح لتطبيق ${client} باستخدام أدواتك في ${organization}؟`,
    lead: (client, organization) =>
      say`سيتمكن تطبيق ${client} من استخدام هذه الأدوات نيابةً عنك، عبر الحسابات المرتبطة مع ${organization}.`,
    client: say`التطبيق`,
    returnsTo: say`العودة إلى`,
    thisDevice: say`تطبيق على هذا الجهاز`,
    tools: say`الأدوات`,
    warning: client =>
      say`يُرجى المتابعة فقط إذا بدأ هذا الطلب من عندك للتو في ${client}. لا تظهر كلمات مرورك ولا مفاتيحك أبدًا أمام هذا التطبيق.`,
    allow: say`السماح`,
    deny: say`عدم السماح`,
  },

  approval: {
    title: connector => say`هل توافق على هذا الإجراء في ${connector}؟`,
    lead: organization => say`يريد مساعد ${organization} تنفيذ هذا الإجراء بالضبط، مرة واحدة.`,
    tool: say`الإجراء`,
    serverTool: say`الإجراء كما يسميه الخادم`,
    noAccount: say`بدون حساب`,
    labeled: label => say`تسميتك: ${label}`,
    destructive: say`قد يغيّر هذا البيانات أو يحذفها، وقد يتعذر التراجع عنه.`,
    unverified: say`لم يُتحقق مما يفعله هذا الخادم. فقد يغيّر البيانات أو يحذفها.`,
    noArguments: say`لا توجد تفاصيل أخرى لهذا الإجراء.`,
    noPreview: connector => say`تعذّر تحميل التفاصيل من ${connector}، لذا قد ترى معرّفات بدلًا من الأسماء.`,
    roles: { recipient: say`المستلم`, amount: say`المبلغ`, target: say`الهدف` },
    empty: say`فارغ`,
    folded: {
      long: count => say`لم يُفتح بعد، وعدد أحرفه ${count}`,
      binary: count => say`بيانات مرمّزة لم تُفتح بعد، وعدد أحرفها ${count}`,
    },
    showAll: say`عرض الكل`,
    mixed: words => say`أحرف من أبجديات مختلفة: ${words}`,
    previous: {
      same: time => say`سبق تنفيذ الإجراء نفسه: ${time}.`,
      marked: time => say`ما تغيّر منذ المرة السابقة، ${time}، موضَّح.`,
      lastTime: say`المرة السابقة`,
      added: say`لم يكن موجودًا في المرة السابقة`,
      differs: say`مختلف عن المرة السابقة`,
      gone: say`غير موجود هذه المرة`,
    },
    reasons: organization => say`لماذا يسألك ${organization}`,
    request: say`الطلب الذي سيُرسل`,
    once: say`لن يُنفَّذ إلا هذا الإجراء، ومرة واحدة فقط. وإذا تغيّر أي شيء فيه، فستُسأل مرة أخرى.`,
    openFirst: say`افتح كل ما هو مطويّ قبل الموافقة.`,
    approve: say`الموافقة مرة واحدة`,
    remember: {
      open: say`الموافقة والتذكّر…`,
      label: say`السماح بالإجراء نفسه دون سؤالي`,
      periods: {
        hour: uses => say`لمدة ساعة، بحد أقصى ${uses} مرة`,
        day: uses => say`لمدة يوم، بحد أقصى ${uses} مرة`,
        month: uses => say`لمدة 30 يومًا، بحد أقصى ${uses} مرة`,
      },
      anyText: say`حتى لو اختلف النص`,
      hint: say`يجب أن يبقى كل شيء آخر كما هو معروض تمامًا. يمكنك إنهاء ذلك حيث تدير حساباتك.`,
      approve: say`الموافقة والتذكّر`,
    },
    deny: say`عدم السماح…`,
    reason: say`السبب للمساعد`,
    denyCall: say`عدم السماح`,
    entry: {
      title: say`هناك قرار بانتظارك`,
      lead: organization => say`يحتاج مساعد ${organization} إلى موافقتك قبل أن يتابع.`,
      again: say`تسجّل الدخول من جديد لكل قرار، حتى لا يقرر أحد نيابةً عنك.`,
      signIn: say`تسجيل الدخول لعرضه`,
      view: say`عرض الطلب`,
      fromApp: organization => say`افتح هذا الطلب في ${organization} لعرضه واتخاذ القرار.`,
    },
    endings: {
      approved: {
        title: say`تمت الموافقة`,
        lead: organization =>
          say`يستطيع مساعد ${organization} الآن تنفيذ هذا مرة واحدة. وعليه أن يسألك مرة أخرى عن أي شيء آخر.`,
      },
      executing: { title: say`تمت الموافقة`, lead: organization => say`ينفّذه مساعد ${organization} الآن.` },
      done: {
        title: say`تم التنفيذ`,
        lead: organization => say`نفّذ مساعد ${organization} هذا مرة واحدة. وعليه أن يسألك مرة أخرى لتكراره.`,
      },
      remembered: {
        title: say`تمت الموافقة`,
        lead: organization =>
          say`يمكن لمساعد ${organization} تكرار الإجراء نفسه دون سؤالك طوال المدة التي اخترتها.`,
      },
      waits_for_others: {
        title: say`تمت الموافقة`,
        lead: organization => say`يجب أن يوافق عليه شخص آخر في ${organization} أيضًا.`,
      },
      denied: {
        title: say`لم يُسمح به`,
        lead: organization => say`لم يُنفَّذ شيء. وقد أُبلغ مساعد ${organization} بذلك.`,
      },
      failed: {
        title: say`تمت الموافقة، لكنه فشل`,
        lead: organization => say`حاول مساعد ${organization} مرة واحدة ولم ينجح.`,
      },
      unknown: {
        title: say`تمت الموافقة، والنتيجة غير معروفة`,
        lead: organization =>
          say`انقطع الاتصال أثناء تنفيذ مساعد ${organization} للإجراء، فلا يُعرف هل تم أم لا. ولن يُكرَّر.`,
      },
      expired: {
        title: say`فات وقت القرار`,
        lead: organization =>
          say`انتهى هذا الطلب ولم يُنفَّذ شيء. يستطيع مساعد ${organization} أن يسأل مرة أخرى.`,
      },
      account_changed: {
        title: say`تغيّر الحساب`,
        lead: organization =>
          say`أُعيد ربط حساب هذا الطلب أو أُلغي ربطه أو تغيّرت مشاركته، ولم يُنفَّذ شيء. يستطيع مساعد ${organization} أن يسأل مرة أخرى.`,
      },
      action_changed: {
        title: say`تغيّر الإجراء`,
        lead: organization =>
          say`تغيّر ما سُئلت عنه منذ ذلك الحين، ولم يُنفَّذ شيء. يستطيع مساعد ${organization} أن يسأل مرة أخرى.`,
      },
      rules_changed: {
        title: say`تغيّرت القواعد`,
        lead: organization =>
          say`لم يعد هذا الإجراء مسموحًا به أو يجب أن يوافق عليه آخرون، ولم يُنفَّذ شيء. يستطيع مساعد ${organization} أن يسأل مرة أخرى.`,
      },
    },
  },

  expired: {
    title: say`انتهت صلاحية هذا الرابط`,
    lead: () => say`حفاظًا على أمان حساباتك، لا يعمل الرابط إلا لفترة قصيرة.`,
    ask: organization => say`طلب رابط جديد من ${organization}`,
    askedTitle: say`تم إرسال الطلب`,
    askedLead: organization =>
      say`تظهر حاجتك إلى رابط جديد لدى ${organization}، ويعود قرار إرساله إلى تلك الجهة. إذا لم يصل شيء، فيُرجى التواصل مع ${organization}.`,
  },

  withdrawn: { title: say`لم يعد هذا الرابط صالحًا`, lead: say`سُحب الرابط قبل اكتمال العملية.` },

  used: {
    title: say`سبق استخدام هذا الرابط`,
    lead: connector =>
      connector === null
        ? say`لا يعمل كل رابط إلا مرة واحدة.`
        : say`تم ربط ${connector} من خلاله. لا يعمل كل رابط إلا مرة واحدة.`,
    unconfirmed: connector =>
      say`لم يكتمل ربط ${connector} بعد. ما زال على التطبيق الذي أرسلك إلى هنا أن يؤكده. لا يعمل كل رابط إلا مرة واحدة.`,
  },

  askForNewLink: organization =>
    organization === null
      ? say`يُرجى طلب رابط جديد من الجهة التي أرسلته إليك.`
      : say`يُرجى طلب رابط جديد من ${organization}.`,

  cancelled: {
    title: say`تم الإلغاء`,
    lead: connector =>
      connector === null
        ? say`يمكنك فتح الرابط مرة أخرى ما دام صالحًا.`
        : say`لم يتم ربط ${connector}. يمكنك فتح الرابط مرة أخرى ما دام صالحًا.`,
    unexpectedTitle: say`أوقفنا هذا الطلب`,
    unexpectedLead: organization =>
      organization === null
        ? say`شكرًا على حرصك. يُرجى حذف الرسالة التي تحتوي على الرابط وعدم إعادة توجيهها.`
        : say`شكرًا على حرصك. يُرجى حذف الرسالة التي تحتوي على الرابط وعدم إعادة توجيهها، وإبلاغ ${organization} في حال وصول رسالة أخرى.`,
  },

  failed: {
    title: connector => (connector === null ? say`تعذّر ربط الحساب` : say`تعذّر ربط ${connector}`),
    reason: {
      provider_error: connector => say`وصل من ${connector} بلاغ عن مشكلة، ولم تكتمل العملية.`,
      provider_timeout: connector => say`تأخر الرد من ${connector} أكثر من اللازم.`,
      provider_unavailable: connector => say`يتعذّر الوصول إلى ${connector} حاليًا.`,
      exchange_failed: connector => say`لم يصل من ${connector} تأكيد لتسجيل دخولك.`,
      issuer_mismatch: connector => say`لم يأتِ الرد من ${connector}، لذلك رفضناه.`,
      invalid_state: () => say`لا يخص الرد عملية تسجيل الدخول التي بدأت هنا، لذلك رفضناه.`,
      session_expired: () => say`انتهت صلاحية الرابط أثناء تسجيل الدخول.`,
      key_rejected: connector => say`لم يُقبل المفتاح لدى ${connector}.`,
      key_check_unavailable: connector => say`تعذّر التحقق من المفتاح لدى ${connector} حاليًا، لذلك لم نحفظه.`,
      certificate_refused: connector => say`لم تُقبل الشهادة لدى ${connector}.`,
      scope_missing: connector => say`لم تُمنح من ${connector} جميع الصلاحيات المطلوبة.`,
      no_site: connector =>
        say`لم يُعثر في ${connector} على أي موقع أو مؤسسة يمكن لحسابك استخدامها. يمكنك أن تطلب من المسؤول إضافتك، أو تسجيل الدخول بحساب آخر.`,
      connector_removed: connector => say`لم يعد ربط ${connector} متاحًا هنا.`,
      internal: () => say`حدث خطأ من جانبنا.`,
    },
    giveUp: organization =>
      organization === null
        ? say`إذا تكرر ذلك، فيُرجى إبلاغ الجهة التي أرسلت إليك الرابط مع ذكر الرقم المرجعي.`
        : say`إذا تكرر ذلك، فيُرجى إبلاغ ${organization} مع ذكر الرقم المرجعي.`,
  },

  refused: {
    invalid_link: {
      title: say`هذا الرابط لا يعمل`,
      lead: () => say`ربما ينقص جزء من العنوان. يُرجى طلب رابط جديد من الجهة التي أرسلته إليك.`,
    },
    user_inactive: {
      title: say`هذا الرابط متوقف مؤقتًا`,
      lead: organization =>
        organization === null
          ? say`الحساب الذي أُنشئ الرابط من أجله غير نشط. يُرجى سؤال الجهة التي أرسلته إليك.`
          : say`الحساب الذي أُنشئ الرابط من أجله لدى ${organization} غير نشط. يُرجى طلب تنشيطه من ${organization}.`,
    },
    unauthorized_origin: {
      title: say`لا يمكن استخدام هذا الرابط`,
      lead: organization =>
        organization === null
          ? say`سيؤدي إلى الانتقال إلى عنوان غير معتمد.`
          : say`سيؤدي إلى الانتقال إلى عنوان غير معتمد لدى ${organization}.`,
    },
    other_browser: {
      title: say`المتابعة في المتصفح الذي بدأت منه`,
      lead: () =>
        say`بدأت هذه العملية في متصفح آخر أو على جهاز آخر. يُرجى الرجوع إليه، أو فتح الرابط هنا مرة أخرى.`,
    },
    opened_elsewhere: {
      title: say`فُتح هذا الرابط في متصفح آخر`,
      lead: organization =>
        organization === null
          ? say`يعمل فقط في المتصفح الذي فُتح فيه أولًا. يُرجى طلب رابط جديد لهذا المتصفح.`
          : say`يعمل فقط في المتصفح الذي فُتح فيه أولًا. يُرجى طلب رابط جديد لهذا المتصفح من ${organization}.`,
    },
    cookies_blocked: {
      title: say`متصفحك يحظر ملفات تعريف الارتباط`,
      lead: () =>
        say`نحتاج إلى ملف تعريف ارتباط واحد للتأكد من هويتك. يُرجى السماح بملفات تعريف الارتباط لهذا الموقع، ثم فتح الرابط مرة أخرى.`,
    },
    too_many_requests: {
      title: say`محاولات كثيرة جدًا`,
      lead: () => say`يُرجى الانتظار دقيقة، ثم فتح الرابط مرة أخرى.`,
    },
    connector_gone: {
      title: say`لم يعد هذا التطبيق متاحًا`,
      lead: organization =>
        organization === null
          ? say`لم يعد ممكنًا ربط ما أُنشئ هذا الرابط من أجله. يُرجى طلب رابط جديد.`
          : say`لم يعد ما أُنشئ هذا الرابط من أجله متاحًا لدى ${organization}. يُرجى طلب رابط جديد من ${organization}.`,
    },
    unavailable: {
      title: say`سنعود بعد قليل`,
      lead: () => say`هذه الصفحة غير متاحة حاليًا. يبقى رابطك صالحًا. يُرجى فتحه مرة أخرى بعد بضع دقائق.`,
    },
    organization_moving: {
      title: say`لحظة من فضلك`,
      lead: () =>
        say`يجري نقل هذه الصفحة إلى خادم آخر. يبقى رابطك صالحًا. يُرجى المحاولة مرة أخرى بعد بضع ثوانٍ.`,
    },
    wrong_cell: {
      title: say`لا يمكن عرض هذه الصفحة هنا`,
      lead: () => say`ينتمي رابطك إلى خادم آخر. يُرجى فتحه مرة أخرى من المكان الذي تلقّيته منه.`,
    },
    organization_suspended: {
      title: say`عمليات الربط متوقفة مؤقتًا`,
      lead: organization =>
        organization === null
          ? say`ربط الحسابات متوقف مؤقتًا هنا، وتبقى عمليات الربط الحالية محفوظة. يُرجى سؤال الجهة التي أرسلت إليك الرابط.`
          : say`لا يمكن ربط الحسابات لدى ${organization} حاليًا، وتبقى عمليات الربط الحالية محفوظة. يُرجى سؤال ${organization} عن موعد عودة الخدمة.`,
    },
    sign_in_invalid: {
      title: say`لا يمكن متابعة تسجيل الدخول هذا`,
      lead: () =>
        say`انتهت صلاحيته أو اكتمل من قبل أو أنه ناقص. يُرجى البدء من جديد في التطبيق الذي أتيت منه.`,
    },
    sign_in_not_allowed: {
      title: say`ليس لديك وصول`,
      lead: organization =>
        organization === null
          ? say`لا يوجد حساب نشط لك هنا. يُرجى سؤال القائمين على التطبيق.`
          : say`لا يوجد حساب نشط لك لدى ${organization}. يُرجى طلب الوصول من ${organization}.`,
    },
    sign_in_unmatched: {
      title: say`تعذّر التعرف على حسابك`,
      lead: organization =>
        organization === null
          ? say`لم ترسل خدمة تسجيل الدخول المعلومة التي تعرّف بك. يُرجى التواصل مع القائمين على التطبيق لمراجعة إعدادات تسجيل الدخول.`
          : say`لم ترسل خدمة تسجيل الدخول في ${organization} المعلومة التي تعرّف بك. يُرجى التواصل مع ${organization} لمراجعة إعدادات تسجيل الدخول.`,
    },
    sign_in_email_unverified: {
      title: say`لم يتم تأكيد بريدك الإلكتروني`,
      lead: organization =>
        organization === null
          ? say`لم تؤكد خدمة تسجيل الدخول بريدك الإلكتروني. يُرجى تأكيده هناك ثم البدء من جديد، أو سؤال القائمين على التطبيق.`
          : say`لم تؤكد خدمة تسجيل الدخول في ${organization} بريدك الإلكتروني. يُرجى تأكيده هناك ثم البدء من جديد، أو طلب المساعدة من ${organization}.`,
    },
    sign_in_denied: {
      title: say`لم يتم تسجيل دخولك`,
      lead: organization =>
        organization === null
          ? say`أُلغي تسجيل الدخول أو لم تسمح لك به الخدمة. يُرجى البدء من جديد في التطبيق الذي أتيت منه، أو طلب الوصول من القائمين عليه.`
          : say`أُلغي تسجيل الدخول أو لم تسمح لك به خدمة ${organization}. يُرجى البدء من جديد في التطبيق الذي أتيت منه، أو طلب الوصول من ${organization}.`,
    },
    sign_in_failed: {
      title: say`خدمة تسجيل الدخول لا تعمل الآن`,
      lead: organization =>
        organization === null
          ? say`يُرجى المحاولة مرة أخرى بعد دقائق من التطبيق الذي أتيت منه. إذا استمرت المشكلة، فيُرجى إبلاغ القائمين عليه.`
          : say`تعذّر استخدام خدمة تسجيل الدخول في ${organization}. يُرجى المحاولة مرة أخرى بعد دقائق من التطبيق الذي أتيت منه. إذا استمرت المشكلة، فيُرجى إبلاغ ${organization}.`,
    },
    approval_invalid: {
      title: say`لا يمكن فتح هذا الطلب`,
      lead: () => say`قد يكون جزء من العنوان ناقصًا، أو انتهى الطلب. ابدأ من جديد في التطبيق الذي جئت منه.`,
    },
    approval_of_another_user: {
      title: say`هذا الطلب لشخص آخر`,
      lead: organization =>
        organization === null
          ? say`سجّلت الدخول كشخص لا يمكنه اتخاذ القرار بشأنه.`
          : say`سجّلت الدخول إلى ${organization} كشخص لا يمكنه اتخاذ القرار بشأنه.`,
    },
  },
}
