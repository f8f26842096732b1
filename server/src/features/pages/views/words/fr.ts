import { firstName, say } from './sentence.ts'
import type { Words } from './words.ts'

/** No "de", "que" or article stands before a name, which may begin with a vowel, and no participle agrees with one. */
export const fr: Words = {
  language: 'fr',
  direction: 'ltr',
  languageName: 'Français',

  testMode: say`Mode test`,
  cancel: say`Annuler`,
  close: say`Fermer`,
  done: say`Terminé`,
  back: say`Retour`,
  reference: say`Référence`,
  tryAgain: say`Réessayer`,
  youMayClose: say`Vous pouvez fermer cette fenêtre.`,
  contact: organization => say`Contacter ${organization}`,
  privacy: say`Confidentialité`,
  terms: say`Conditions d’utilisation`,
  chooseLanguage: say`Langue`,
  forWhom: user => say`Pour ${user}`,
  asks: (organization, connector) =>
    say`L’assistant proposé par ${organization} souhaite utiliser votre compte ${connector}.`,
  notExpected: user =>
    user === null
      ? say`Vous ne vous attendiez pas à cette demande\u202f?`
      : say`Vous n’êtes pas ${firstName(user)}, ou vous ne vous attendiez pas à cette demande\u202f?`,
  someService: 'Le service',

  server: host => say`Serveur\u202f: ${host}`,
  endsSharing: say`Ce compte est partagé avec d’autres personnes. Si vous le remplacez, le nouveau compte ne sera pas partagé.`,
  reconnectReason: {
    endsOn: (connector, date) =>
      say`Votre connexion à ${connector} prend bientôt fin\u202f: ${date}. Reconnectez le compte pour continuer à l’utiliser.`,
    newKeyBy: (connector, date) =>
      say`${connector} demande une nouvelle clé API (date limite\u202f: ${date}). Saisissez-la ici pour continuer à utiliser le compte.`,
    ended: connector =>
      say`Votre connexion à ${connector} a pris fin. Reconnectez le compte pour l’utiliser à nouveau.`,
    failing: connector =>
      say`Votre connexion à ${connector} pourrait bientôt prendre fin. Reconnectez le compte pour continuer à l’utiliser.`,
  },

  picker: {
    title: say`Que souhaitez-vous connecter\u202f?`,
    lead: organization =>
      say`L’assistant proposé par ${organization} utilise uniquement les comptes de votre choix.`,
    connected: say`Connectée`,
    noneTitle: say`Rien à connecter pour l’instant`,
    none: organization => say`${organization} n’a pas encore choisi d’applications.`,
    apps: say`Applications`,
    search: count =>
      count < 2
        ? say`Rechercher dans ${String(count)} application`
        : say`Rechercher parmi ${String(count)} applications`,
    noMatch: query => say`Aucune application ne correspond à «\u00a0${query}\u00a0».`,
    missing: say`Vous ne trouvez pas votre application\u202f?`,
    missingLead: organization => say`Demandez à ${organization} de l’ajouter.`,
    all: say`Toutes`,
    categories: {
      communication: say`Communication`,
      productivity: say`Productivité`,
      files: say`Fichiers`,
      development: say`Développement`,
      sales: say`Ventes`,
      support: say`Assistance`,
      finance: say`Finances`,
      data: say`Données`,
      other: say`Autres`,
    },
    keys: say`↑ ↓ pour naviguer · Entrée pour choisir`,
  },

  consent: {
    title: (connector, organization) => say`Connecter ${connector} à ${organization}`,
    permissions: say`L’assistant pourra`,
    replaces: account =>
      say`Une connexion avec ${account} existe déjà. Si vous continuez, elle sera remplacée.`,
    trust: (connector, organization) =>
      say`Vous vous identifierez sur le site officiel ${connector}. ${organization} et son modèle d’IA ne voient jamais votre mot de passe ni vos clés, et vous pouvez supprimer la connexion à tout moment.`,
    start: connector => say`Continuer vers ${connector}`,
    leaving: connector => say`Redirection vers ${connector}…`,
    insideApp: connector =>
      say`Cette page s’est ouverte dans une autre application. Si ${connector} refuse de vous identifier ici, ouvrez la page dans votre navigateur habituel.`,
    copy: say`Copier l’adresse`,
    copied: say`Adresse copiée`,
    kinds: {
      read: say`Lire des informations`,
      create: say`Créer de nouveaux éléments`,
      change: say`Modifier des éléments existants`,
      delete: say`Supprimer des éléments`,
    },
    more: count => say`et ${String(count)} de plus`,
    wholeAccount: {
      title: connector => say`Utiliser votre compte ${connector}`,
      detail: say`Cela peut inclure la lecture, la création, la modification et la suppression.`,
    },
    otherWay: connector => say`Utiliser plutôt l’intégration officielle ${connector}`,
    otherConnector: connector => say`Utiliser plutôt ${connector}`,
  },

  waiting: {
    title: say`Continuez dans l’autre fenêtre`,
    lead: connector =>
      say`Identifiez-vous chez ${connector} dans cette fenêtre. La suite s’affichera ici automatiquement.`,
    stillTitle: say`Toujours en cours\u202f?`,
    stillLead: connector =>
      say`${connector} n’a pas encore répondu. Si vous avez fermé la fenêtre, ouvrez-la de nouveau.`,
    again: say`Ouvrir de nouveau`,
    blockedTitle: say`Votre navigateur a peut-être bloqué la fenêtre`,
    blockedLead: connector =>
      say`Si aucune fenêtre ${connector} ne s’est ouverte, autorisez les pop-ups pour ce site et ouvrez-la de nouveau, ou continuez dans cet onglet.`,
    here: say`Continuer dans cet onglet`,
  },

  opening: {
    title: say`Un instant`,
    slow: say`Cela prend plus de temps que d’habitude. Merci de garder cette page ouverte.`,
    unreachable: say`Impossible de charger la page. Vérifiez votre connexion, puis réessayez.`,
    noScript: say`Cette page a besoin de JavaScript. Autorisez-le pour ce site, ou demandez plutôt un lien par e-mail.`,
  },

  offline: say`Vous êtes hors ligne. La page reprendra dès le retour de la connexion.`,

  apiKey: {
    needs: say`Clé API requise`,
    title: connector => say`Connecter avec votre clé API ${connector}`,
    where: say`Où la trouver\u202f?`,
    trust: (connector, organization) =>
      say`Nous vérifions la clé auprès du service ${connector} et l’enregistrons chiffrée. Elle n’est plus jamais affichée. ${organization} et son modèle d’IA ne la voient jamais, et vous pouvez supprimer la connexion à tout moment.`,
    show: say`Afficher`,
    hide: say`Masquer`,
    steps: say`Comment l’obtenir`,
    submit: say`Vérifier et connecter`,
    checking: connector => say`Vérification avec ${connector}…`,
    use: say`Utiliser plutôt une clé API`,
    useSignIn: connector => say`Se connecter plutôt avec ${connector}`,
    replace: say`Remplacer la clé API`,
    replaceLead: say`Laissez un champ vide pour conserver sa valeur actuelle.`,
    replaceSubmit: say`Vérifier et remplacer`,
    replaced: say`Les nouveaux identifiants sont maintenant utilisés.`,
    optional: say`Facultatif`,
    chooseFile: say`Choisir un fichier`,
    problem: {
      address_unfit: connector =>
        say`Merci de vérifier le champ signalé. Cela ne ressemble pas à votre adresse ${connector}.`,
      format_unfit: () => say`Le champ signalé semble incorrect. Vérifiez que vous avez tout copié.`,
      fields_missing: () => say`Il manque quelque chose. Merci de remplir tous les champs.`,
      key_rejected: connector =>
        say`${connector} n’a pas accepté cette clé. Vérifiez que vous avez copié toute la clé et qu’elle n’a pas été révoquée.`,
      key_check_unavailable: connector =>
        say`${connector} ne peut pas vérifier cette clé pour le moment\u202f; nous ne l’avons donc pas enregistrée. Merci de réessayer dans un instant.`,
      scope_missing: connector =>
        say`${connector} accepte cette clé, mais ses autorisations ne suffisent pas. Créez-en une avec les autorisations indiquées dans l’aide.`,
      other_account: connector =>
        say`Ces données correspondent à un autre compte ${connector}\u202f; rien n’a été modifié. Pour utiliser cet autre compte, ajoutez-le depuis la page précédente.`,
      nothing_entered: () => say`Saisissez au moins une nouvelle valeur.`,
      server_changed: connector =>
        say`${connector} se trouve désormais sur un autre serveur\u202f; rien n’a donc été envoyé. Vérifiez l’adresse ci-dessus avant de continuer.`,
      private_key_not_a_key: () =>
        say`Ce n’est pas une clé privée. Collez-la en entier, avec la première et la dernière ligne, ou choisissez le fichier.`,
      private_key_wrong_file: connector =>
        say`Ce n’est pas le bon fichier. Choisissez le fichier JSON qui contient la clé pour ${connector}.`,
      private_key_encrypted: () =>
        say`Cette clé privée est chiffrée par une phrase secrète. Saisissez une clé sans phrase secrète.`,
      private_key_public_key: () => say`C’est une clé publique. Saisissez la clé privée correspondante.`,
      private_key_certificate: () => say`C’est un certificat. Saisissez la clé privée correspondante.`,
      private_key_wrong_type: connector =>
        say`${connector} exige une clé privée d’un autre type. Consultez les instructions.`,
      private_key_wrong_curve: connector =>
        say`${connector} exige une clé privée avec une autre courbe. Consultez les instructions.`,
      private_key_too_small: () => say`Cette clé privée est trop courte. Créez-en une d’au moins 2048 bits.`,
      private_key_too_large: () =>
        say`Cette clé privée est trop longue. Créez-en une de 8192 bits au maximum.`,
      certificate_not_a_certificate: () =>
        say`Ce n’est pas un certificat. Collez-le en entier, avec la première et la dernière ligne, ou choisissez le fichier.`,
      certificate_private_key: () => say`C’est une clé privée. Saisissez le certificat correspondant.`,
      certificate_wrong_key: () =>
        say`Ce certificat correspond à une autre clé privée. Saisissez un certificat et une clé qui vont ensemble.`,
      certificate_expired: () => say`Ce certificat a expiré. Saisissez un certificat en cours de validité.`,
      certificate_not_yet_valid: () =>
        say`Ce certificat n’est pas encore valide. Saisissez-en un qui l’est déjà.`,
      certificate_refused: connector =>
        say`${connector} a refusé ce certificat. Vérifiez qu’il y est bien enregistré et qu’il n’a pas été révoqué.`,
    },
  },

  credentialsForm: {
    needs: say`Identifiants requis`,
    title: connector => say`Connecter votre compte ${connector}`,
    where: say`Où les trouver\u202f?`,
    trust: (connector, organization) =>
      say`Nous vérifions votre saisie auprès du service ${connector} et l’enregistrons chiffrée. Elle n’est plus jamais affichée. ${organization} et son modèle d’IA ne la voient jamais, et vous pouvez supprimer la connexion à tout moment.`,
    steps: say`Comment les obtenir`,
    use: say`Saisir plutôt des identifiants`,
    replace: say`Remplacer les identifiants`,
    problem: {
      key_rejected: connector =>
        say`Le service ${connector} n’a pas accepté ces identifiants. Vérifiez chaque champ, et qu’ils n’ont pas expiré ni été révoqués.`,
      key_check_unavailable: connector =>
        say`Le service ${connector} ne peut pas vérifier ces identifiants pour le moment, nous ne les avons donc pas enregistrés. Veuillez réessayer dans un instant.`,
      scope_missing: connector =>
        say`Le service ${connector} accepte ces identifiants, mais leurs autorisations ne suffisent pas. Ajoutez les autorisations indiquées sous le champ, puis réessayez.`,
    },
  },

  chooseSite: {
    site: {
      title: say`Choisissez un site`,
      lead: (connector, organization) =>
        say`Votre compte ${connector} a accès à plusieurs sites. L’assistant proposé par ${organization} n’utilisera que celui que vous choisissez.`,
      sites: say`Vos sites`,
      unlisted: say`Choisissez l’un des sites de la liste.`,
    },
    organization: {
      title: say`Choisissez une organisation`,
      lead: (connector, organization) =>
        say`Votre compte ${connector} a accès à plusieurs organisations. L’assistant proposé par ${organization} n’utilisera que celle que vous choisissez.`,
      sites: say`Vos organisations`,
      unlisted: say`Choisissez l’une des organisations de la liste.`,
    },
  },

  chooseAccount: {
    title: say`Remplacer ou ajouter ?`,
    lead: (connector, account) =>
      say`Vous venez de choisir le compte ${account} chez ${connector}. Un autre compte ${connector} est déjà connecté.`,
    leadUnnamed: connector => say`Un autre compte ${connector} est déjà connecté.`,
    choices: say`Votre choix`,
    add: say`Ajouter comme autre compte`,
    addDetail: say`Les deux restent connectés. L’assistant demande lequel utiliser.`,
    replace: label => say`Remplacer ${label}`,
    replaceDetail: say`Ce compte sera déconnecté.`,
    unlisted: say`Ce compte n’est plus connecté. Choisissez de nouveau.`,
  },

  receipt: {
    data: say`Vos données`,
    untouched: say`Rien n’a été connecté ni partagé.`,
    unchanged: say`Ouvrir de nouveau ce lien n’a rien changé, et rien n’a été partagé.`,
    account: say`Compte`,
    user: say`Pour`,
    usedBy: say`Utilisé par`,
    assistant: organization => say`L’assistant proposé par ${organization}`,
    hiddenFrom: organization => say`Invisible pour ${organization}`,
    secrets: say`Votre mot de passe et vos clés`,
    undo: say`Déconnecter`,
    settings: organization => say`À tout moment, dans vos paramètres ${organization}`,
  },

  connected: {
    title: connector => say`Votre compte ${connector} est connecté`,
    lead: organization => say`L’assistant proposé par ${organization} peut reprendre là où il en était.`,
    back: organization => say`Revenir à ${organization}`,
    another: say`Connecter une autre application`,
    awaiting: organization => say`${organization} finalise la connexion`,
  },

  returning: {
    title: {
      success: organization => say`Retour à ${organization}`,
      exit: organization => say`Retour à ${organization}`,
      error: (_, connector) =>
        connector === null
          ? say`Impossible de connecter le compte`
          : say`Impossible de connecter ${connector}`,
    },
    lead: {
      success: organization => say`${organization} s’ouvre et finalise la connexion.`,
      exit: () => say`Vous avez arrêté avant toute connexion.`,
      error: organization => say`Vous retournez vers ${organization}, où vous pourrez réessayer.`,
    },
    signedIn: connector =>
      connector === null
        ? say`Identification réussie. Votre mot de passe et vos clés restent privés.`
        : say`Identification réussie chez ${connector}. Votre mot de passe et vos clés restent privés.`,
    button: say`Revenir à l’application`,
    hint: say`Si rien ne s’ouvre, utilisez le bouton.`,
  },

  connections: {
    title: say`Vos connexions`,
    lead: organization =>
      say`Les comptes que l’assistant proposé par ${organization} peut utiliser pour vous.`,
    open: say`Afficher mes connexions`,
    openLead: organization =>
      say`Consultez les comptes que vous avez connectés avec ${organization} et leur utilisation. Vous pouvez les mettre en pause ou les déconnecter.`,
    noneTitle: say`Aucune connexion pour l’instant`,
    none: organization => say`Vous n’avez encore connecté aucun compte avec ${organization}.`,
    sharedTitle: say`Partagés avec vous`,
    sharedLead: organization =>
      say`L’assistant proposé par ${organization} peut aussi utiliser ces comptes pour vous. Seuls leurs propriétaires peuvent les modifier.`,
    sharedByOrganization: organization => say`Compte partagé par ${organization}`,
    state: {
      active: say`Connecté`,
      at_risk: say`Expire bientôt`,
      needs_reauth: say`Connexion requise`,
      paused: say`En pause`,
    },
    status: say`État`,
    since: say`Depuis`,
    activity: say`Activité récente`,
    noActivity: say`L’assistant n’a pas encore utilisé ce compte.`,
    activityNote: say`La liste indique les noms et les heures, mais pas les contenus.`,
    failedCall: say`Échec`,
    pausedUntil: time => say`En pause jusqu’à ${time}.`,
    pausedLead: organization =>
      say`D’ici là, l’assistant proposé par ${organization} ne peut pas utiliser ce compte. La connexion reprend ensuite automatiquement.`,
    needsReauth: connector =>
      say`${connector} n’accepte plus cette connexion. Reconnectez le compte pour l’utiliser à nouveau.`,
    reconnectElsewhere: organization => say`Pour reconnecter ce compte, ouvrez ${organization}.`,
    pause: say`Mettre en pause une heure`,
    resume: say`Reprendre maintenant`,
    label: say`Nom`,
    labelHint: say`L’assistant voit ce nom et s’en sert pour choisir le compte.`,
    labelRejected: say`Choisissez un autre nom. Il doit tenir sur une ligne et ne pas être celui d’un autre compte.`,
    save: say`Enregistrer`,
    add: say`Ajouter un autre compte`,
    reconnect: say`Reconnecter`,
    disconnect: say`Déconnecter`,
    back: say`Retour à vos connexions`,
    confirmTitle: connector => say`Déconnecter ${connector} ?`,
    confirmLead: (organization, connector) =>
      say`L’assistant proposé par ${organization} ne pourra plus utiliser ce compte ${connector}. Vous pourrez le reconnecter plus tard.`,
    keep: say`Conserver la connexion`,
    doneTitle: connector => say`Vous avez déconnecté ${connector}`,
    doneLead: organization => say`L’assistant proposé par ${organization} ne peut plus utiliser ce compte.`,
    stored: say`Accès enregistré`,
    deleted: say`Supprimé. L’assistant ne peut plus utiliser ce compte.`,
    atProvider: connector => say`Chez ${connector}`,
    revocation: {
      pending: connector => say`Nous demandons à ${connector} de révoquer l’accès.`,
      revoked: connector => say`${connector} a confirmé la révocation de l’accès.`,
      not_supported: connector =>
        say`${connector} ne nous permet pas de révoquer l’accès. Par précaution, supprimez la clé ou l’autorisation dans votre compte ${connector}.`,
      kept_shared: connector =>
        say`Une autre connexion utilise la même autorisation, qui n’a donc pas été révoquée. Vous pouvez la retirer dans votre compte ${connector}.`,
      gave_up: connector =>
        say`${connector} n’a pas confirmé la révocation de l’accès. Veuillez le retirer dans votre compte ${connector}.`,
    },
    checkAgain: say`Vérifier à nouveau`,
    pending: say`En attente de votre décision`,
    pendingLead: organization =>
      say`Vous pouvez refuser ici. Pour approuver, ouvrez la demande dans ${organization}.`,
    refuse: action => say`Ne pas autoriser : ${action}`,
    remembered: say`Autorisé sans vous demander`,
    rememberedUntil: time => say`jusqu’au ${time}`,
    usesLeft: count => say`utilisations restantes : ${count}`,
    anyText: say`texte libre`,
    askAgain: action => say`Me redemander : ${action}`,
    decisions: say`Vos dernières décisions`,
    decision: { approve: say`Approuvé`, deny: say`Non autorisé` },
    clients: say`Applications ayant accès à vos outils`,
    signOut: client => say`Déconnecter ${client}`,
  },

  signIn: {
    title: (client, organization) => say`Autoriser ${client} à utiliser vos outils ${organization} ?`,
    lead: (client, organization) =>
      say`${client} pourra utiliser ces outils pour vous, avec les comptes que vous avez connectés à ${organization}.`,
    client: say`Application`,
    returnsTo: say`Retour vers`,
    thisDevice: say`Une application sur cet appareil`,
    tools: say`Outils`,
    warning: client =>
      say`Ne continuez que si vous venez de lancer cette demande dans ${client}. L’application ne voit jamais vos mots de passe ni vos clés.`,
    allow: say`Autoriser`,
    deny: say`Ne pas autoriser`,
  },

  approval: {
    title: connector => say`Approuver cette action dans ${connector} ?`,
    lead: organization =>
      say`L’assistant proposé par ${organization} veut faire exactement ceci, une seule fois.`,
    tool: say`Ce qui sera fait`,
    serverTool: say`Ce qui sera fait, selon le serveur`,
    noAccount: say`Sans compte`,
    labeled: label => say`votre libellé : ${label}`,
    destructive: say`Cela peut modifier ou supprimer des données, peut-être sans retour possible.`,
    unverified: say`Ce que fait ce serveur n’a pas été vérifié. Il peut modifier ou supprimer des données.`,
    noArguments: say`L’action n’a pas d’autres détails.`,
    noPreview: connector =>
      say`Les détails n’ont pas pu être chargés depuis ${connector} : vous voyez peut-être des identifiants au lieu de noms.`,
    roles: { recipient: say`Destinataire`, amount: say`Montant`, target: say`Cible` },
    empty: say`vide`,
    folded: {
      long: count => say`${count} caractères, pas encore ouverts`,
      binary: count => say`${count} caractères de données encodées, pas encore ouverts`,
    },
    showAll: say`Tout afficher`,
    mixed: words => say`Lettres de plusieurs alphabets : ${words}`,
    previous: {
      same: time => say`La même action a déjà été exécutée\u00a0: ${time}.`,
      marked: time => say`Ce qui a changé depuis la dernière fois, ${time}, est signalé.`,
      lastTime: say`La dernière fois`,
      added: say`Absent la dernière fois`,
      differs: say`Différent de la dernière fois`,
      gone: say`Absent cette fois`,
    },
    reasons: organization => say`Pourquoi ${organization} vous le demande`,
    request: say`La requête qui sera envoyée`,
    once: say`Seule cette action sera effectuée, une seule fois. Si quoi que ce soit change, on vous le demandera de nouveau.`,
    openFirst: say`Ouvrez tout ce qui est replié avant d’approuver.`,
    approve: say`Approuver une fois`,
    remember: {
      open: say`Approuver et mémoriser…`,
      label: say`Autoriser la même action sans me demander`,
      periods: {
        hour: uses => say`pendant une heure, ${uses} fois au maximum`,
        day: uses => say`pendant un jour, ${uses} fois au maximum`,
        month: uses => say`pendant 30 jours, ${uses} fois au maximum`,
      },
      anyText: say`même si le texte est différent`,
      hint: say`Tout le reste doit rester exactement identique. Vous pouvez y mettre fin là où vous gérez vos comptes.`,
      approve: say`Approuver et mémoriser`,
    },
    deny: say`Ne pas autoriser…`,
    reason: say`Raison pour l’assistant`,
    denyCall: say`Ne pas autoriser`,
    entry: {
      title: say`Une décision vous attend`,
      lead: organization =>
        say`L’assistant proposé par ${organization} a besoin de votre accord pour continuer.`,
      again: say`Vous vous reconnectez pour chaque décision, afin que personne ne décide à votre place.`,
      signIn: say`Se connecter pour la voir`,
      view: say`Voir la demande`,
      fromApp: organization => say`Ouvrez cette demande dans ${organization} pour la voir et décider.`,
    },
    endings: {
      approved: {
        title: say`Approuvé`,
        lead: organization =>
          say`L’assistant proposé par ${organization} peut maintenant le faire une fois. Pour toute autre chose, il devra vous redemander.`,
      },
      executing: {
        title: say`Approuvé`,
        lead: organization => say`L’assistant proposé par ${organization} est en train de le faire.`,
      },
      done: {
        title: say`Terminé`,
        lead: organization =>
          say`L’assistant proposé par ${organization} l’a fait une fois. Pour recommencer, il devra vous redemander.`,
      },
      remembered: {
        title: say`Approuvé`,
        lead: organization =>
          say`L’assistant proposé par ${organization} peut refaire la même action sans vous demander, pendant la durée choisie.`,
      },
      waits_for_others: {
        title: say`Approuvé`,
        lead: organization => say`Une autre personne, chez ${organization}, doit aussi donner son accord.`,
      },
      denied: {
        title: say`Non autorisé`,
        lead: organization =>
          say`Rien n’a été fait. L’assistant proposé par ${organization} en a été informé.`,
      },
      failed: {
        title: say`Approuvé, mais sans succès`,
        lead: organization => say`L’assistant proposé par ${organization} a essayé une fois, sans succès.`,
      },
      unknown: {
        title: say`Approuvé, résultat inconnu`,
        lead: organization =>
          say`La connexion a été coupée pendant que l’assistant proposé par ${organization} le faisait : on ne sait pas si l’action a eu lieu. Elle ne sera pas répétée.`,
      },
      expired: {
        title: say`Trop tard pour décider`,
        lead: organization =>
          say`Cette demande est terminée et rien n’a été fait. L’assistant proposé par ${organization} peut redemander.`,
      },
      account_changed: {
        title: say`Le compte a changé`,
        lead: organization =>
          say`Le compte de cette demande a été reconnecté, déconnecté ou partagé autrement, et rien n’a été fait. L’assistant proposé par ${organization} peut redemander.`,
      },
      action_changed: {
        title: say`L’action a changé`,
        lead: organization =>
          say`L’objet de cette demande a changé depuis, et rien n’a été fait. L’assistant proposé par ${organization} peut redemander.`,
      },
      rules_changed: {
        title: say`Les règles ont changé`,
        lead: organization =>
          say`Cette action n’est plus autorisée ou doit être approuvée par d’autres personnes, et rien n’a été fait. L’assistant proposé par ${organization} peut redemander.`,
      },
    },
  },

  expired: {
    title: say`Ce lien a expiré`,
    lead: () => say`Pour protéger vos comptes, un lien n’est valable que peu de temps.`,
    ask: organization => say`Demander un nouveau lien à ${organization}`,
    askedTitle: say`Demande envoyée`,
    askedLead: organization =>
      say`${organization} peut voir qu’il vous faut un nouveau lien et décidera de vous en envoyer un ou non. Si vous ne recevez rien, contactez ${organization}.`,
  },

  withdrawn: {
    title: say`Ce lien n’est plus valable`,
    lead: say`Il a été retiré avant que vous ayez terminé.`,
  },

  used: {
    title: say`Ce lien a déjà été utilisé`,
    lead: connector =>
      connector === null
        ? say`Chaque lien ne fonctionne qu’une seule fois.`
        : say`Il a servi à connecter ${connector}. Chaque lien ne fonctionne qu’une seule fois.`,
    unconfirmed: connector =>
      say`La connexion avec ${connector} n’est pas encore terminée. L’application qui vous a envoyé ici doit encore le confirmer. Chaque lien ne fonctionne qu’une seule fois.`,
  },

  askForNewLink: organization =>
    organization === null
      ? say`Demandez-en un nouveau à la personne qui vous l’a envoyé.`
      : say`Demandez-en un nouveau à ${organization}.`,

  cancelled: {
    title: say`Vous avez annulé`,
    lead: connector =>
      connector === null
        ? say`Vous pouvez ouvrir de nouveau le lien tant qu’il est valable.`
        : say`Votre compte ${connector} n’a pas été connecté. Vous pouvez ouvrir de nouveau le lien tant qu’il est valable.`,
    unexpectedTitle: say`Nous avons arrêté cette demande`,
    unexpectedLead: organization =>
      organization === null
        ? say`Merci de votre vigilance. Supprimez le message qui contient le lien et ne le transférez pas.`
        : say`Merci de votre vigilance. Supprimez le message qui contient le lien, ne le transférez pas, et prévenez ${organization} si vous en recevez un autre.`,
  },

  failed: {
    title: connector =>
      connector === null ? say`Impossible de connecter le compte` : say`Impossible de connecter ${connector}`,
    reason: {
      provider_error: connector =>
        say`${connector} a signalé un problème, et l’identification n’est pas terminée.`,
      provider_timeout: connector => say`${connector} a mis trop de temps à répondre.`,
      provider_unavailable: connector => say`${connector} ne répond pas pour le moment.`,
      exchange_failed: connector => say`${connector} n’a pas confirmé votre identification.`,
      issuer_mismatch: connector =>
        say`La réponse ne vient pas du service ${connector}\u202f; nous l’avons donc refusée.`,
      invalid_state: () =>
        say`La réponse ne correspond pas à l’identification que vous avez commencée ici\u202f; nous l’avons donc refusée.`,
      session_expired: () => say`Le lien a expiré pendant votre identification.`,
      key_rejected: connector => say`${connector} n’a pas accepté la clé.`,
      key_check_unavailable: connector =>
        say`${connector} ne peut pas vérifier la clé pour le moment\u202f; nous ne l’avons donc pas enregistrée.`,
      certificate_refused: connector => say`${connector} a refusé le certificat.`,
      scope_missing: connector => say`${connector} n’a pas accordé toutes les autorisations nécessaires.`,
      no_site: connector =>
        say`${connector} n’a trouvé ni site ni organisation accessible avec votre compte. Demandez à l’administrateur de vous y ajouter, ou identifiez-vous avec un autre compte.`,
      connector_removed: connector => say`${connector} n’est plus proposé ici.`,
      internal: () => say`Un problème est survenu de notre côté.`,
    },
    giveUp: organization =>
      organization === null
        ? say`Si cela se reproduit, prévenez la personne qui vous a envoyé le lien en indiquant la référence.`
        : say`Si cela se reproduit, prévenez ${organization} en indiquant la référence.`,
  },

  refused: {
    invalid_link: {
      title: say`Ce lien ne fonctionne pas`,
      lead: () =>
        say`Une partie de l’adresse manque peut-être. Demandez-en un nouveau à la personne qui vous l’a envoyé.`,
    },
    user_inactive: {
      title: say`Ce lien est suspendu`,
      lead: organization =>
        organization === null
          ? say`Le compte pour lequel il a été créé n’est pas actif. Adressez-vous à la personne qui vous l’a envoyé.`
          : say`Le compte ${organization} pour lequel il a été créé n’est pas actif. Demandez à ${organization} de l’activer.`,
    },
    unauthorized_origin: {
      title: say`Ce lien ne peut pas être utilisé`,
      lead: organization =>
        organization === null
          ? say`Il vous enverrait vers une adresse qui n’est pas approuvée.`
          : say`Il vous enverrait vers une adresse qui n’est pas approuvée par ${organization}.`,
    },
    other_browser: {
      title: say`Continuez dans le navigateur où vous avez commencé`,
      lead: () =>
        say`Vous avez commencé dans un autre navigateur ou sur un autre appareil. Retournez-y, ou ouvrez de nouveau le lien ici.`,
    },
    opened_elsewhere: {
      title: say`Ce lien a été ouvert dans un autre navigateur`,
      lead: organization =>
        organization === null
          ? say`Il ne fonctionne que dans le navigateur qui l’a ouvert en premier. Demandez un nouveau lien pour ce navigateur.`
          : say`Il ne fonctionne que dans le navigateur qui l’a ouvert en premier. Demandez un nouveau lien à ${organization} pour ce navigateur.`,
    },
    cookies_blocked: {
      title: say`Votre navigateur bloque les cookies`,
      lead: () =>
        say`Nous avons besoin d’un cookie pour vérifier que c’est bien vous. Autorisez les cookies pour ce site, puis ouvrez de nouveau le lien.`,
    },
    too_many_requests: {
      title: say`Trop de tentatives`,
      lead: () => say`Attendez une minute, puis ouvrez de nouveau le lien.`,
    },
    connector_gone: {
      title: say`Cette application n’est plus proposée`,
      lead: organization =>
        organization === null
          ? say`Il n’est plus possible de connecter l’application prévue par ce lien. Demandez un nouveau lien.`
          : say`${organization} ne propose plus l’application prévue par ce lien. Demandez un nouveau lien à ${organization}.`,
    },
    unavailable: {
      title: say`Nous revenons tout de suite`,
      lead: () =>
        say`Cette page n’est pas disponible pour le moment. Votre lien reste valable. Ouvrez-le de nouveau dans quelques minutes.`,
    },
    organization_moving: {
      title: say`Un instant`,
      lead: () =>
        say`Cette page est en cours de transfert vers un autre serveur. Votre lien reste valable. Réessayez dans quelques secondes.`,
    },
    wrong_cell: {
      title: say`Cette page ne peut pas être affichée ici`,
      lead: () =>
        say`Votre lien appartient à un autre serveur. Ouvrez-le de nouveau depuis l’endroit où vous l’avez reçu.`,
    },
    organization_suspended: {
      title: say`Les connexions sont suspendues`,
      lead: organization =>
        organization === null
          ? say`La connexion de comptes est suspendue pour le moment. Vos connexions existantes sont conservées. Adressez-vous à la personne qui vous a envoyé le lien.`
          : say`${organization} ne peut pas connecter de comptes pour le moment. Vos connexions existantes sont conservées. Demandez à ${organization} quand ce sera de nouveau possible.`,
    },
    sign_in_invalid: {
      title: say`Cette connexion ne peut pas continuer`,
      lead: () =>
        say`Elle a expiré, est déjà terminée ou est incomplète. Recommencez dans l’application d’où vous venez.`,
    },
    sign_in_not_allowed: {
      title: say`Vous n’avez pas accès`,
      lead: organization =>
        organization === null
          ? say`Il n’y a pas de compte actif pour vous ici. Adressez-vous aux responsables de l’application.`
          : say`${organization} n’a pas de compte actif pour vous. Demandez l’accès à ${organization}.`,
    },
    sign_in_unmatched: {
      title: say`Nous n’avons pas pu vous associer à un compte`,
      lead: organization =>
        organization === null
          ? say`Le service de connexion n’a pas transmis l’information qui vous identifie. Demandez aux responsables de l’application de vérifier les paramètres de connexion.`
          : say`Le service de connexion utilisé par ${organization} n’a pas transmis l’information qui vous identifie. Demandez à ${organization} de vérifier les paramètres de connexion.`,
    },
    sign_in_email_unverified: {
      title: say`Votre adresse e-mail n’est pas vérifiée`,
      lead: organization =>
        organization === null
          ? say`Le service de connexion n’a pas vérifié votre adresse e-mail. Vérifiez-la auprès de ce service puis recommencez, ou adressez-vous aux responsables de l’application.`
          : say`Le service de connexion utilisé par ${organization} n’a pas vérifié votre adresse e-mail. Vérifiez-la auprès de ce service puis recommencez, ou demandez de l’aide à ${organization}.`,
    },
    sign_in_denied: {
      title: say`La connexion n’a pas abouti`,
      lead: organization =>
        organization === null
          ? say`La connexion a été annulée, ou le service de connexion l’a refusée. Recommencez dans l’application d’où vous venez, ou demandez l’accès à ses responsables.`
          : say`La connexion a été annulée, ou le service de connexion utilisé par ${organization} l’a refusée. Recommencez dans l’application d’où vous venez, ou demandez l’accès à ${organization}.`,
    },
    sign_in_failed: {
      title: say`Le service de connexion ne fonctionne pas`,
      lead: organization =>
        organization === null
          ? say`Réessayez dans quelques minutes depuis l’application d’où vous venez. Si cela échoue encore, prévenez ses responsables.`
          : say`Le service de connexion utilisé par ${organization} ne fonctionne pas correctement. Réessayez dans quelques minutes depuis l’application d’où vous venez. Si cela échoue encore, prévenez ${organization}.`,
    },
    approval_invalid: {
      title: say`Cette demande ne peut pas être ouverte`,
      lead: () =>
        say`Il manque peut-être une partie de l’adresse, ou la demande est terminée. Recommencez dans l’application d’où vous venez.`,
    },
    approval_of_another_user: {
      title: say`Cette demande s’adresse à quelqu’un d’autre`,
      lead: organization =>
        organization === null
          ? say`Vous êtes connecté en tant que personne qui ne peut pas en décider.`
          : say`Vous êtes connecté à ${organization} en tant que personne qui ne peut pas en décider.`,
    },
  },
}
