import { firstName, say } from './sentence.ts'
import type { Words } from './words.ts'

/** Names take no ending and stand in no compound: "von X" and "bei X", never "Xs" or "X-Konto". */
export const de: Words = {
  language: 'de',
  direction: 'ltr',
  languageName: 'Deutsch',

  testMode: say`Testmodus`,
  cancel: say`Abbrechen`,
  close: say`Schließen`,
  done: say`Fertig`,
  back: say`Zurück`,
  reference: say`Referenz`,
  tryAgain: say`Erneut versuchen`,
  youMayClose: say`Sie können dieses Fenster schließen.`,
  contact: organization => say`${organization} kontaktieren`,
  privacy: say`Datenschutz`,
  terms: say`Nutzungsbedingungen`,
  chooseLanguage: say`Sprache`,
  forWhom: user => say`Für ${user}`,
  asks: (organization, connector) =>
    say`Der Assistent von ${organization} möchte Ihr Konto bei ${connector} nutzen.`,
  notExpected: user =>
    user === null
      ? say`Haben Sie das nicht erwartet?`
      : say`Sie sind nicht ${firstName(user)} oder haben das nicht erwartet?`,
  someService: 'Der Dienst',

  server: host => say`Serveradresse: ${host}`,
  endsSharing: say`Dieses Konto ist für andere freigegeben. Wenn Sie es ersetzen, wird das neue Konto nicht freigegeben.`,
  reconnectReason: {
    endsOn: (connector, date) =>
      say`Ihre Verbindung mit ${connector} ist nur noch bis ${date} gültig. Verbinden Sie das Konto neu, um es weiter zu nutzen.`,
    newKeyBy: (connector, date) =>
      say`${connector} verlangt bis ${date} einen neuen API‑Schlüssel. Geben Sie ihn hier ein, um das Konto weiter zu nutzen.`,
    ended: connector =>
      say`Ihre Verbindung mit ${connector} ist beendet. Verbinden Sie das Konto neu, um es wieder zu nutzen.`,
    failing: connector =>
      say`Ihre Verbindung mit ${connector} endet möglicherweise bald. Verbinden Sie das Konto neu, um es weiter zu nutzen.`,
  },

  picker: {
    title: say`Was möchten Sie verbinden?`,
    lead: organization => say`Der Assistent von ${organization} nutzt nur die Konten, die Sie auswählen.`,
    connected: say`Verbunden`,
    noneTitle: say`Noch nichts zu verbinden`,
    none: organization => say`${organization} hat noch keine Apps ausgewählt.`,
    apps: say`Apps`,
    search: count =>
      count === 1 ? say`${String(count)} App durchsuchen` : say`${String(count)} Apps durchsuchen`,
    noMatch: query => say`Keine App passt zu „${query}“.`,
    missing: say`Ihre App ist nicht dabei?`,
    missingLead: organization => say`Bitten Sie ${organization}, sie hinzuzufügen.`,
    all: say`Alle`,
    categories: {
      communication: say`Kommunikation`,
      productivity: say`Produktivität`,
      files: say`Dateien`,
      development: say`Entwicklung`,
      sales: say`Vertrieb`,
      support: say`Kundenservice`,
      finance: say`Finanzen`,
      data: say`Daten`,
      other: say`Sonstiges`,
    },
    keys: say`↑ ↓ zum Navigieren · Eingabetaste zum Auswählen`,
  },

  consent: {
    title: (connector, organization) => say`${connector} mit ${organization} verbinden`,
    permissions: say`Das kann der Assistent dann tun`,
    replaces: account =>
      say`Bereits verbunden als ${account}. Wenn Sie fortfahren, wird diese Verbindung ersetzt.`,
    trust: (connector, organization) =>
      say`Sie melden sich auf der Website von ${connector} an. ${organization} und das KI-Modell bekommen Ihr Passwort und Ihre Schlüssel nie zu sehen, und Sie können die Verbindung jederzeit trennen.`,
    start: connector => say`Weiter zu ${connector}`,
    leaving: connector => say`${connector} wird geöffnet…`,
    insideApp: connector =>
      say`Diese Seite wurde in einer anderen App geöffnet. Falls ${connector} die Anmeldung hier ablehnt, öffnen Sie die Seite in Ihrem gewohnten Browser.`,
    copy: say`Adresse kopieren`,
    copied: say`Kopiert`,
    kinds: {
      read: say`Informationen lesen`,
      create: say`Neue Einträge erstellen`,
      change: say`Bestehende Einträge ändern`,
      delete: say`Einträge löschen`,
    },
    more: count => say`und ${String(count)} weitere`,
    wholeAccount: {
      title: connector => say`Ihr Konto bei ${connector} nutzen`,
      detail: say`Dazu kann Lesen, Erstellen, Ändern und Löschen gehören.`,
    },
    otherWay: connector => say`Stattdessen die offizielle Integration von ${connector} verwenden`,
    otherConnector: connector => say`Stattdessen ${connector} verwenden`,
  },

  waiting: {
    title: say`Weiter im anderen Fenster`,
    lead: connector => say`Melden Sie sich dort bei ${connector} an. Danach geht es hier automatisch weiter.`,
    stillTitle: say`Noch nicht fertig?`,
    stillLead: connector =>
      say`Wir warten noch auf ${connector}. Falls Sie das Fenster geschlossen haben, öffnen Sie es noch einmal.`,
    again: say`Noch einmal öffnen`,
    blockedTitle: say`Ihr Browser hat das Fenster vielleicht blockiert`,
    blockedLead: connector =>
      say`Falls sich kein Fenster von ${connector} geöffnet hat, erlauben Sie Pop-ups für diese Website und öffnen Sie es noch einmal, oder fahren Sie in diesem Tab fort.`,
    here: say`In diesem Tab fortfahren`,
  },

  opening: {
    title: say`Einen Moment`,
    slow: say`Das dauert länger als sonst. Bitte lassen Sie die Seite geöffnet.`,
    unreachable: say`Die Seite konnte nicht geladen werden. Prüfen Sie Ihre Internetverbindung und versuchen Sie es erneut.`,
    noScript: say`Diese Seite benötigt JavaScript. Erlauben Sie es für diese Website, oder lassen Sie sich stattdessen einen Link per E-Mail schicken.`,
  },

  offline: say`Sie sind offline. Sobald die Internetverbindung wieder da ist, geht es weiter.`,

  apiKey: {
    needs: say`API‑Schlüssel erforderlich`,
    title: connector => say`${connector} mit Ihrem API‑Schlüssel verbinden`,
    where: say`Wo finde ich ihn?`,
    trust: (connector, organization) =>
      say`Wir prüfen den Schlüssel bei ${connector} und speichern ihn verschlüsselt. Er wird nie wieder angezeigt. ${organization} und das KI-Modell bekommen ihn nie zu sehen, und Sie können die Verbindung jederzeit trennen.`,
    show: say`Anzeigen`,
    hide: say`Verbergen`,
    steps: say`So erhalten Sie ihn`,
    submit: say`Prüfen und verbinden`,
    checking: connector => say`Prüfung bei ${connector} läuft…`,
    use: say`Stattdessen einen API‑Schlüssel verwenden`,
    useSignIn: connector => say`Stattdessen bei ${connector} anmelden`,
    replace: say`API‑Schlüssel ersetzen`,
    replaceLead: say`Leere Felder behalten ihren bisherigen Wert.`,
    replaceSubmit: say`Prüfen und ersetzen`,
    replaced: say`Die neuen Zugangsdaten werden jetzt verwendet.`,
    optional: say`Optional`,
    chooseFile: say`Datei auswählen`,
    problem: {
      address_unfit: connector =>
        say`Bitte prüfen Sie das markierte Feld. Das sieht nicht nach Ihrer Adresse bei ${connector} aus.`,
      format_unfit: () =>
        say`Der Wert im markierten Feld sieht nicht richtig aus. Prüfen Sie, ob Sie ihn vollständig kopiert haben.`,
      fields_missing: () => say`Es fehlt noch etwas. Bitte füllen Sie alle Felder aus.`,
      key_rejected: connector =>
        say`${connector} hat diesen Schlüssel nicht akzeptiert. Prüfen Sie, ob Sie den ganzen Schlüssel kopiert haben und ob er noch gültig ist.`,
      key_check_unavailable: connector =>
        say`${connector} konnte diesen Schlüssel gerade nicht prüfen. Er wurde deshalb nicht gespeichert. Bitte versuchen Sie es gleich noch einmal.`,
      scope_missing: connector =>
        say`${connector} akzeptiert diesen Schlüssel, aber seine Berechtigungen reichen nicht aus. Erstellen Sie einen neuen mit den Berechtigungen aus dem Hinweis.`,
      other_account: connector =>
        say`Das gehört zu einem anderen Konto bei ${connector}, daher wurde nichts geändert. Um jenes Konto zu verwenden, fügen Sie es auf der vorherigen Seite hinzu.`,
      nothing_entered: () => say`Geben Sie mindestens einen neuen Wert ein.`,
      server_changed: connector =>
        say`${connector} läuft inzwischen auf einem anderen Server. Deshalb wurde nichts gesendet. Prüfen Sie die Adresse oben, bevor Sie fortfahren.`,
      private_key_not_a_key: () =>
        say`Das ist kein privater Schlüssel. Fügen Sie ihn vollständig ein, mit der ersten und der letzten Zeile, oder wählen Sie die Datei aus.`,
      private_key_wrong_file: connector =>
        say`Das ist nicht die passende Datei. Wählen Sie die JSON-Datei mit dem Schlüssel für ${connector} aus.`,
      private_key_encrypted: () =>
        say`Dieser private Schlüssel ist mit einer Passphrase verschlüsselt. Geben Sie einen ohne Passphrase ein.`,
      private_key_public_key: () =>
        say`Das ist ein öffentlicher Schlüssel. Geben Sie den zugehörigen privaten Schlüssel ein.`,
      private_key_certificate: () =>
        say`Das ist ein Zertifikat. Geben Sie den zugehörigen privaten Schlüssel ein.`,
      private_key_wrong_type: connector =>
        say`${connector} benötigt einen privaten Schlüssel eines anderen Typs. Lesen Sie dazu die Anleitung.`,
      private_key_wrong_curve: connector =>
        say`${connector} benötigt einen privaten Schlüssel mit einer anderen Kurve. Lesen Sie dazu die Anleitung.`,
      private_key_too_small: () =>
        say`Dieser private Schlüssel ist zu kurz. Erstellen Sie einen mit mindestens 2048 Bit.`,
      private_key_too_large: () =>
        say`Dieser private Schlüssel ist zu lang. Erstellen Sie einen mit höchstens 8192 Bit.`,
      certificate_not_a_certificate: () =>
        say`Das ist kein Zertifikat. Fügen Sie es vollständig ein, mit der ersten und der letzten Zeile, oder wählen Sie die Datei aus.`,
      certificate_private_key: () =>
        say`Das ist ein privater Schlüssel. Geben Sie das zugehörige Zertifikat ein.`,
      certificate_wrong_key: () =>
        say`Dieses Zertifikat gehört zu einem anderen privaten Schlüssel. Geben Sie Zertifikat und Schlüssel ein, die zusammengehören.`,
      certificate_expired: () => say`Dieses Zertifikat ist abgelaufen. Geben Sie ein aktuelles ein.`,
      certificate_not_yet_valid: () =>
        say`Dieses Zertifikat ist noch nicht gültig. Geben Sie eines ein, das bereits gilt.`,
      certificate_refused: connector =>
        say`${connector} hat dieses Zertifikat abgelehnt. Prüfen Sie, ob es dort hinterlegt ist und nicht widerrufen wurde.`,
    },
  },

  credentialsForm: {
    needs: say`Zugangsdaten erforderlich`,
    title: connector => say`Ihr Konto bei ${connector} verbinden`,
    where: say`Wo finde ich sie?`,
    trust: (connector, organization) =>
      say`Wir prüfen Ihre Eingaben bei ${connector} und speichern sie verschlüsselt. Sie werden nie wieder angezeigt. ${organization} und das KI-Modell bekommen sie nie zu sehen, und Sie können die Verbindung jederzeit trennen.`,
    steps: say`So erhalten Sie sie`,
    use: say`Stattdessen Zugangsdaten eingeben`,
    replace: say`Zugangsdaten ersetzen`,
    problem: {
      key_rejected: connector =>
        say`${connector} hat diese Zugangsdaten nicht akzeptiert. Prüfen Sie jedes Feld und ob sie noch gültig sind.`,
      key_check_unavailable: connector =>
        say`${connector} konnte diese Zugangsdaten gerade nicht prüfen, daher haben wir sie nicht gespeichert. Bitte versuchen Sie es gleich noch einmal.`,
      scope_missing: connector =>
        say`${connector} akzeptiert diese Zugangsdaten, aber ihre Berechtigungen reichen nicht aus. Ergänzen Sie die Berechtigungen aus dem Hinweis und versuchen Sie es noch einmal.`,
    },
  },

  chooseSite: {
    site: {
      title: say`Website auswählen`,
      lead: (connector, organization) =>
        say`Ihr Konto bei ${connector} hat mehrere Websites. Der Assistent von ${organization} nutzt nur die, die Sie auswählen.`,
      sites: say`Ihre Websites`,
      unlisted: say`Wählen Sie eine der Websites in der Liste aus.`,
    },
    organization: {
      title: say`Organisation auswählen`,
      lead: (connector, organization) =>
        say`Ihr Konto bei ${connector} gehört zu mehreren Organisationen. Der Assistent von ${organization} nutzt nur die, die Sie auswählen.`,
      sites: say`Ihre Organisationen`,
      unlisted: say`Wählen Sie eine der Organisationen in der Liste aus.`,
    },
  },

  chooseAccount: {
    title: say`Ersetzen oder hinzufügen?`,
    lead: (connector, account) =>
      say`Sie haben sich bei ${connector} als ${account} angemeldet. Ein anderes Konto bei ${connector} ist bereits verbunden.`,
    leadUnnamed: connector => say`Ein anderes Konto bei ${connector} ist bereits verbunden.`,
    choices: say`Ihre Auswahl`,
    add: say`Als weiteres Konto hinzufügen`,
    addDetail: say`Beide bleiben verbunden. Der Assistent fragt, welches er nutzen soll.`,
    replace: label => say`${label} ersetzen`,
    replaceDetail: say`Dieses Konto wird getrennt.`,
    unlisted: say`Dieses Konto ist nicht mehr verbunden. Bitte wählen Sie erneut.`,
  },

  receipt: {
    data: say`Ihre Daten`,
    untouched: say`Es wurde nichts verbunden und nichts weitergegeben.`,
    unchanged: say`Das erneute Öffnen hat nichts geändert, und es wurde nichts weitergegeben.`,
    account: say`Konto`,
    user: say`Für`,
    usedBy: say`Genutzt von`,
    assistant: organization => say`Assistent von ${organization}`,
    hiddenFrom: organization => say`Für ${organization} nicht sichtbar`,
    secrets: say`Ihr Passwort und Ihre Schlüssel`,
    undo: say`Trennen`,
    settings: organization => say`Jederzeit in den Einstellungen von ${organization}`,
  },

  connected: {
    title: connector => say`${connector} ist verbunden`,
    lead: organization => say`Der Assistent von ${organization} kann dort weitermachen, wo er aufgehört hat.`,
    back: organization => say`Zurück zu ${organization}`,
    another: say`Weitere App verbinden`,
    awaiting: organization => say`${organization} schließt die Verbindung gerade ab`,
  },

  returning: {
    title: {
      success: organization => say`Sie werden zu ${organization} zurückgeleitet`,
      exit: organization => say`Sie werden zu ${organization} zurückgeleitet`,
      error: (_, connector) =>
        connector === null
          ? say`Das Konto konnte nicht verbunden werden`
          : say`${connector} konnte nicht verbunden werden`,
    },
    lead: {
      success: organization => say`Die Verbindung wird abgeschlossen, sobald sich ${organization} öffnet.`,
      exit: () => say`Sie haben abgebrochen, bevor etwas verbunden wurde.`,
      error: organization =>
        say`Sie werden zu ${organization} zurückgeleitet. Dort können Sie es noch einmal versuchen.`,
    },
    signedIn: connector =>
      connector === null
        ? say`Sie haben sich angemeldet. Ihr Passwort und Ihre Schlüssel bleiben geheim.`
        : say`Sie haben sich bei ${connector} angemeldet. Ihr Passwort und Ihre Schlüssel bleiben geheim.`,
    button: say`Zurück zur App`,
    hint: say`Falls sich nichts öffnet, verwenden Sie die Schaltfläche.`,
  },

  connections: {
    title: say`Ihre Verbindungen`,
    lead: organization => say`Diese Konten kann der Assistent von ${organization} für Sie nutzen.`,
    open: say`Meine Verbindungen anzeigen`,
    openLead: organization =>
      say`Sehen Sie, welche Konten Sie mit ${organization} verbunden haben und wann sie genutzt wurden. Sie können sie pausieren oder trennen.`,
    noneTitle: say`Noch keine Verbindungen`,
    none: organization => say`Sie haben noch kein Konto mit ${organization} verbunden.`,
    sharedTitle: say`Für Sie freigegeben`,
    sharedLead: organization =>
      say`Der Assistent von ${organization} kann auch diese Konten für Sie nutzen. Nur ihre Inhaber können sie ändern.`,
    sharedByOrganization: organization => say`Konto von ${organization}`,
    state: {
      active: say`Verbunden`,
      at_risk: say`Endet bald`,
      needs_reauth: say`Anmeldung nötig`,
      paused: say`Pausiert`,
    },
    status: say`Status`,
    since: say`Seit`,
    activity: say`Letzte Aktivitäten`,
    noActivity: say`Der Assistent hat dieses Konto noch nicht genutzt.`,
    activityNote: say`Die Liste zeigt Namen und Zeiten, keine Inhalte.`,
    failedCall: say`Fehlgeschlagen`,
    pausedUntil: time => say`Pausiert bis ${time}.`,
    pausedLead: organization =>
      say`Bis dahin kann der Assistent von ${organization} dieses Konto nicht nutzen. Danach geht es von selbst weiter.`,
    needsReauth: connector =>
      say`${connector} akzeptiert diese Verbindung nicht mehr. Verbinden Sie das Konto neu, um es wieder zu nutzen.`,
    reconnectElsewhere: organization => say`Öffnen Sie ${organization}, um dieses Konto neu zu verbinden.`,
    pause: say`Eine Stunde pausieren`,
    resume: say`Jetzt fortsetzen`,
    label: say`Name`,
    labelHint: say`Der Assistent sieht diesen Namen und wählt das Konto danach aus.`,
    labelRejected: say`Wählen Sie einen anderen Namen. Er muss in eine Zeile passen und darf zu keinem anderen Konto gehören.`,
    save: say`Speichern`,
    add: say`Weiteres Konto hinzufügen`,
    reconnect: say`Neu verbinden`,
    disconnect: say`Trennen`,
    back: say`Zurück zu Ihren Verbindungen`,
    confirmTitle: connector => say`${connector} trennen?`,
    confirmLead: (organization, connector) =>
      say`Der Assistent von ${organization} kann dieses Konto bei ${connector} dann nicht mehr nutzen. Sie können es später wieder verbinden.`,
    keep: say`Verbunden lassen`,
    doneTitle: connector => say`${connector} ist getrennt`,
    doneLead: organization => say`Der Assistent von ${organization} kann dieses Konto nicht mehr nutzen.`,
    stored: say`Gespeicherter Zugang`,
    deleted: say`Gelöscht. Der Assistent kann das Konto ab sofort nicht mehr nutzen.`,
    atProvider: connector => say`Bei ${connector}`,
    revocation: {
      pending: connector => say`Wir bitten ${connector}, den Zugriff zu widerrufen.`,
      revoked: connector => say`${connector} hat bestätigt, dass der Zugriff widerrufen ist.`,
      not_supported: connector =>
        say`Bei ${connector} können wir den Zugriff nicht widerrufen. Löschen Sie den Schlüssel oder die Berechtigung zur Sicherheit dort in Ihrem Konto.`,
      kept_shared: connector =>
        say`Eine andere Verbindung nutzt dieselbe Berechtigung, deshalb wurde sie nicht widerrufen. Sie können sie in Ihrem Konto bei ${connector} entfernen.`,
      gave_up: connector =>
        say`${connector} hat nicht bestätigt, dass der Zugriff widerrufen ist. Bitte entfernen Sie ihn dort in Ihrem Konto.`,
    },
    checkAgain: say`Erneut prüfen`,
    pending: say`Wartet auf Ihre Entscheidung`,
    pendingLead: organization =>
      say`Hier können Sie ablehnen. Zum Genehmigen öffnen Sie die Anfrage in ${organization}.`,
    refuse: action => say`Nicht erlauben: ${action}`,
    remembered: say`Ohne Rückfrage erlaubt`,
    rememberedUntil: time => say`bis ${time}`,
    usesLeft: count => say`verbleibende Aufrufe: ${count}`,
    anyText: say`beliebiger Text`,
    askAgain: action => say`Wieder fragen: ${action}`,
    decisions: say`Ihre letzten Entscheidungen`,
    decision: { approve: say`Genehmigt`, deny: say`Nicht erlaubt` },
    clients: say`Apps mit Zugriff auf Ihre Tools`,
    signOut: client => say`${client} abmelden`,
  },

  signIn: {
    title: (client, organization) => say`Darf ${client} Ihre Tools bei ${organization} verwenden?`,
    lead: (client, organization) =>
      say`${client} kann diese Tools dann für Sie verwenden, mit den Konten, die Sie mit ${organization} verbunden haben.`,
    client: say`Anwendung`,
    returnsTo: say`Zurück zu`,
    thisDevice: say`Eine App auf diesem Gerät`,
    tools: say`Tools`,
    warning: client =>
      say`Fahren Sie nur fort, wenn Sie dies gerade in ${client} begonnen haben. Ihre Passwörter und Schlüssel sieht die Anwendung nie.`,
    allow: say`Erlauben`,
    deny: say`Nicht erlauben`,
  },

  approval: {
    title: connector => say`Aktion in ${connector} genehmigen?`,
    lead: organization => say`Der Assistent von ${organization} möchte genau das einmal tun.`,
    tool: say`Aktion`,
    serverTool: say`Aktion laut Server`,
    noAccount: say`Ohne Konto`,
    labeled: label => say`Ihre Bezeichnung: ${label}`,
    destructive: say`Dabei können Daten geändert oder gelöscht werden. Möglicherweise lässt sich das nicht rückgängig machen.`,
    unverified: say`Was dieser Server tut, wurde nicht geprüft. Er kann Daten ändern oder löschen.`,
    noArguments: say`Zu dieser Aktion gibt es keine weiteren Angaben.`,
    noPreview: connector =>
      say`Die Angaben konnten nicht aus ${connector} geladen werden. Statt Namen sehen Sie daher möglicherweise nur Kennungen.`,
    roles: { recipient: say`Empfänger`, amount: say`Betrag`, target: say`Ziel` },
    empty: say`leer`,
    folded: {
      long: count => say`${count} Zeichen, noch nicht geöffnet`,
      binary: count => say`${count} Zeichen codierte Daten, noch nicht geöffnet`,
    },
    showAll: say`Alles anzeigen`,
    mixed: words => say`Buchstaben verschiedener Alphabete: ${words}`,
    previous: {
      same: time => say`Dieselbe Aktion wurde schon einmal ausgeführt: ${time}.`,
      marked: time => say`Markiert ist, was sich seit dem letzten Mal, ${time}, geändert hat.`,
      lastTime: say`Letztes Mal`,
      added: say`Letztes Mal nicht dabei`,
      differs: say`Anders als letztes Mal`,
      gone: say`Diesmal nicht dabei`,
    },
    reasons: organization => say`Warum ${organization} Sie fragt`,
    request: say`Die Anfrage, die gesendet wird`,
    once: say`Nur das wird ausgeführt, und nur einmal. Ändert sich etwas daran, werden Sie erneut gefragt.`,
    openFirst: say`Öffnen Sie alles Eingeklappte, bevor Sie genehmigen.`,
    approve: say`Einmal genehmigen`,
    remember: {
      open: say`Genehmigen und merken …`,
      label: say`Dasselbe ohne Rückfrage erlauben`,
      periods: {
        hour: uses => say`eine Stunde lang, bis zu ${uses} Aufrufe`,
        day: uses => say`einen Tag lang, bis zu ${uses} Aufrufe`,
        month: uses => say`30 Tage lang, bis zu ${uses} Aufrufe`,
      },
      anyText: say`auch mit anderem Text`,
      hint: say`Alles andere bleibt genau wie angezeigt. Sie können das beenden, wo Sie Ihre Konten verwalten.`,
      approve: say`Genehmigen und merken`,
    },
    deny: say`Nicht erlauben …`,
    reason: say`Grund für den Assistenten`,
    denyCall: say`Nicht erlauben`,
    entry: {
      title: say`Ihre Entscheidung ist gefragt`,
      lead: organization =>
        say`Der Assistent von ${organization} braucht Ihre Genehmigung, bevor er weitermacht.`,
      again: say`Sie melden sich für jede Entscheidung neu an, damit niemand anderes für Sie entscheiden kann.`,
      signIn: say`Anmelden und ansehen`,
      view: say`Anfrage ansehen`,
      fromApp: organization =>
        say`Öffnen Sie diese Anfrage in ${organization}, um sie anzusehen und zu entscheiden.`,
    },
    endings: {
      approved: {
        title: say`Genehmigt`,
        lead: organization =>
          say`Der Assistent von ${organization} kann das jetzt einmal tun. Für alles andere muss er Sie erneut fragen.`,
      },
      executing: {
        title: say`Genehmigt`,
        lead: organization => say`Der Assistent von ${organization} führt es gerade aus.`,
      },
      done: {
        title: say`Erledigt`,
        lead: organization =>
          say`Der Assistent von ${organization} hat das einmal getan. Für eine Wiederholung muss er Sie erneut fragen.`,
      },
      remembered: {
        title: say`Genehmigt`,
        lead: organization =>
          say`Der Assistent von ${organization} darf dasselbe so lange wiederholen, wie Sie es gewählt haben.`,
      },
      waits_for_others: {
        title: say`Genehmigt`,
        lead: organization => say`Bei ${organization} muss noch jemand zustimmen.`,
      },
      denied: {
        title: say`Nicht erlaubt`,
        lead: organization =>
          say`Es wurde nichts ausgeführt. Der Assistent von ${organization} wurde informiert.`,
      },
      failed: {
        title: say`Genehmigt, aber fehlgeschlagen`,
        lead: organization =>
          say`Der Assistent von ${organization} hat es einmal versucht, aber es hat nicht geklappt.`,
      },
      unknown: {
        title: say`Genehmigt, Ergebnis unbekannt`,
        lead: organization =>
          say`Die Verbindung brach ab, während der Assistent von ${organization} es ausführte. Ob es geschehen ist, ist nicht bekannt. Es wird nicht wiederholt.`,
      },
      expired: {
        title: say`Zu spät für eine Entscheidung`,
        lead: organization =>
          say`Diese Anfrage ist beendet, und es wurde nichts ausgeführt. Der Assistent von ${organization} kann erneut fragen.`,
      },
      account_changed: {
        title: say`Das Konto hat sich geändert`,
        lead: organization =>
          say`Das Konto dieser Anfrage wurde neu verbunden, getrennt oder anders geteilt. Es wurde nichts ausgeführt. Der Assistent von ${organization} kann erneut fragen.`,
      },
      action_changed: {
        title: say`Die Aktion hat sich geändert`,
        lead: organization =>
          say`Das, wonach gefragt wurde, hat sich seitdem geändert. Es wurde nichts ausgeführt. Der Assistent von ${organization} kann erneut fragen.`,
      },
      rules_changed: {
        title: say`Die Regeln haben sich geändert`,
        lead: organization =>
          say`Diese Aktion ist nicht mehr erlaubt oder muss von anderen genehmigt werden. Es wurde nichts ausgeführt. Der Assistent von ${organization} kann erneut fragen.`,
      },
    },
  },

  expired: {
    title: say`Dieser Link ist abgelaufen`,
    lead: () => say`Zum Schutz Ihrer Konten gilt ein Link nur für kurze Zeit.`,
    ask: organization => say`${organization} um einen neuen Link bitten`,
    askedTitle: say`Anfrage gesendet`,
    askedLead: organization =>
      say`${organization} kann sehen, dass Sie einen neuen Link brauchen, und entscheidet, ob einer gesendet wird. Falls Sie keinen erhalten, wenden Sie sich an ${organization}.`,
  },

  withdrawn: {
    title: say`Dieser Link ist nicht mehr gültig`,
    lead: say`Er wurde zurückgezogen, bevor Sie fertig waren.`,
  },

  used: {
    title: say`Dieser Link wurde bereits verwendet`,
    lead: connector =>
      connector === null
        ? say`Jeder Link funktioniert nur einmal.`
        : say`Über diesen Link wurde ${connector} bereits verbunden. Jeder Link funktioniert nur einmal.`,
    unconfirmed: connector =>
      say`${connector} ist noch nicht verbunden. Die App, die Sie hierher geschickt hat, muss die Verbindung noch bestätigen. Jeder Link funktioniert nur einmal.`,
  },

  askForNewLink: organization =>
    organization === null
      ? say`Bitten Sie die Person, die ihn geschickt hat, um einen neuen.`
      : say`Bitten Sie ${organization} um einen neuen.`,

  cancelled: {
    title: say`Sie haben abgebrochen`,
    lead: connector =>
      connector === null
        ? say`Solange der Link gültig ist, können Sie ihn noch einmal öffnen.`
        : say`${connector} wurde nicht verbunden. Solange der Link gültig ist, können Sie ihn noch einmal öffnen.`,
    unexpectedTitle: say`Wir haben diese Anfrage gestoppt`,
    unexpectedLead: organization =>
      organization === null
        ? say`Gut, dass Sie aufgepasst haben. Löschen Sie die Nachricht mit dem Link, und leiten Sie sie nicht weiter.`
        : say`Gut, dass Sie aufgepasst haben. Löschen Sie die Nachricht mit dem Link, leiten Sie sie nicht weiter, und informieren Sie ${organization}, falls Sie weitere erhalten.`,
  },

  failed: {
    title: connector =>
      connector === null
        ? say`Das Konto konnte nicht verbunden werden`
        : say`${connector} konnte nicht verbunden werden`,
    reason: {
      provider_error: connector =>
        say`${connector} hat ein Problem gemeldet und den Vorgang nicht abgeschlossen.`,
      provider_timeout: connector => say`${connector} hat zu lange nicht geantwortet.`,
      provider_unavailable: connector => say`${connector} ist gerade nicht erreichbar.`,
      exchange_failed: connector => say`${connector} hat Ihre Anmeldung nicht bestätigt.`,
      issuer_mismatch: connector =>
        say`Die Antwort kam nicht von ${connector}. Wir haben sie deshalb abgelehnt.`,
      invalid_state: () =>
        say`Die Antwort gehört nicht zu der Anmeldung, die Sie hier begonnen haben. Wir haben sie deshalb abgelehnt.`,
      session_expired: () => say`Der Link ist während der Anmeldung abgelaufen.`,
      key_rejected: connector => say`${connector} hat den Schlüssel nicht akzeptiert.`,
      key_check_unavailable: connector =>
        say`${connector} konnte den Schlüssel gerade nicht prüfen. Er wurde deshalb nicht gespeichert.`,
      certificate_refused: connector => say`${connector} hat das Zertifikat abgelehnt.`,
      scope_missing: connector => say`${connector} hat nicht alle nötigen Berechtigungen erteilt.`,
      no_site: connector =>
        say`${connector} hat keine Website oder Organisation gefunden, die Ihr Konto nutzen kann. Bitten Sie den zuständigen Administrator, Sie hinzuzufügen, oder melden Sie sich mit einem anderen Konto an.`,
      connector_removed: connector => say`${connector} wird hier nicht mehr angeboten.`,
      internal: () => say`Bei uns ist etwas schiefgegangen.`,
    },
    giveUp: organization =>
      organization === null
        ? say`Falls es wieder passiert, wenden Sie sich an die Person, die Ihnen den Link geschickt hat, und nennen Sie die Referenz.`
        : say`Falls es wieder passiert, wenden Sie sich an ${organization}, und nennen Sie die Referenz.`,
  },

  refused: {
    invalid_link: {
      title: say`Dieser Link funktioniert nicht`,
      lead: () =>
        say`Vielleicht fehlt ein Teil der Adresse. Bitten Sie die Person, die ihn geschickt hat, um einen neuen.`,
    },
    user_inactive: {
      title: say`Dieser Link ist pausiert`,
      lead: organization =>
        organization === null
          ? say`Das Konto, für das er erstellt wurde, ist nicht aktiv. Fragen Sie die Person, die ihn geschickt hat.`
          : say`Das Konto bei ${organization}, für das er erstellt wurde, ist nicht aktiv. Bitten Sie ${organization}, es zu aktivieren.`,
    },
    unauthorized_origin: {
      title: say`Dieser Link kann nicht verwendet werden`,
      lead: organization =>
        organization === null
          ? say`Er würde Sie zu einer Adresse leiten, die nicht freigegeben ist.`
          : say`Er würde Sie zu einer Adresse leiten, die von ${organization} nicht freigegeben ist.`,
    },
    other_browser: {
      title: say`Fahren Sie in dem Browser fort, in dem Sie begonnen haben`,
      lead: () =>
        say`Sie haben in einem anderen Browser oder auf einem anderen Gerät begonnen. Kehren Sie dorthin zurück, oder öffnen Sie den Link hier noch einmal.`,
    },
    opened_elsewhere: {
      title: say`Dieser Link wurde in einem anderen Browser geöffnet`,
      lead: organization =>
        organization === null
          ? say`Er funktioniert nur in dem Browser, der ihn zuerst geöffnet hat. Fordern Sie für diesen Browser einen neuen Link an.`
          : say`Er funktioniert nur in dem Browser, der ihn zuerst geöffnet hat. Fordern Sie für diesen Browser einen neuen Link bei ${organization} an.`,
    },
    cookies_blocked: {
      title: say`Ihr Browser blockiert Cookies`,
      lead: () =>
        say`Wir brauchen ein Cookie, um sicherzugehen, dass Sie es sind. Erlauben Sie Cookies für diese Website, und öffnen Sie den Link dann noch einmal.`,
    },
    too_many_requests: {
      title: say`Zu viele Versuche`,
      lead: () => say`Warten Sie eine Minute, und öffnen Sie den Link dann noch einmal.`,
    },
    connector_gone: {
      title: say`Diese App wird nicht mehr angeboten`,
      lead: organization =>
        organization === null
          ? say`Die App, für die dieser Link gedacht war, kann nicht mehr verbunden werden. Bitten Sie um einen neuen Link.`
          : say`${organization} bietet die App, für die dieser Link gedacht war, nicht mehr an. Bitten Sie ${organization} um einen neuen Link.`,
    },
    unavailable: {
      title: say`Wir sind gleich wieder da`,
      lead: () =>
        say`Diese Seite ist im Moment nicht verfügbar. Ihr Link bleibt gültig. Öffnen Sie ihn in ein paar Minuten noch einmal.`,
    },
    organization_moving: {
      title: say`Einen Moment, bitte`,
      lead: () =>
        say`Diese Seite wird gerade auf einen anderen Server verschoben. Ihr Link bleibt gültig. Versuchen Sie es in ein paar Sekunden noch einmal.`,
    },
    wrong_cell: {
      title: say`Diese Seite kann hier nicht angezeigt werden`,
      lead: () =>
        say`Ihr Link gehört zu einem anderen Server. Öffnen Sie ihn noch einmal dort, wo Sie ihn erhalten haben.`,
    },
    organization_suspended: {
      title: say`Verbindungen sind pausiert`,
      lead: organization =>
        organization === null
          ? say`Zurzeit können hier keine Konten verbunden werden. Ihre bestehenden Verbindungen bleiben erhalten. Fragen Sie die Person, die Ihnen den Link geschickt hat.`
          : say`${organization} kann zurzeit keine Konten verbinden. Ihre bestehenden Verbindungen bleiben erhalten. Fragen Sie ${organization}, wann es wieder möglich ist.`,
    },
    sign_in_invalid: {
      title: say`Diese Anmeldung kann nicht fortgesetzt werden`,
      lead: () =>
        say`Sie ist abgelaufen, bereits abgeschlossen oder unvollständig. Beginnen Sie in der App, aus der Sie kommen, von vorn.`,
    },
    sign_in_not_allowed: {
      title: say`Sie haben keinen Zugang`,
      lead: organization =>
        organization === null
          ? say`Hier gibt es kein aktives Konto für Sie. Fragen Sie den Betreiber der App.`
          : say`${organization} hat kein aktives Konto für Sie. Bitten Sie ${organization} um Zugang.`,
    },
    sign_in_unmatched: {
      title: say`Wir konnten Sie keinem Konto zuordnen`,
      lead: organization =>
        organization === null
          ? say`Der Anmeldedienst hat die Angabe, an der wir Sie erkennen, nicht gesendet. Bitten Sie den Betreiber der App, die Anmeldeeinstellungen zu prüfen.`
          : say`Der Anmeldedienst von ${organization} hat die Angabe, an der wir Sie erkennen, nicht gesendet. Bitten Sie ${organization}, die Anmeldeeinstellungen zu prüfen.`,
    },
    sign_in_email_unverified: {
      title: say`Ihre E-Mail-Adresse ist nicht bestätigt`,
      lead: organization =>
        organization === null
          ? say`Der Anmeldedienst hat Ihre E-Mail-Adresse nicht bestätigt. Bestätigen Sie sie dort und beginnen Sie von vorn, oder fragen Sie den Betreiber der App.`
          : say`Der Anmeldedienst von ${organization} hat Ihre E-Mail-Adresse nicht bestätigt. Bestätigen Sie sie dort und beginnen Sie von vorn, oder bitten Sie ${organization} um Hilfe.`,
    },
    sign_in_denied: {
      title: say`Sie wurden nicht angemeldet`,
      lead: organization =>
        organization === null
          ? say`Die Anmeldung wurde abgebrochen, oder der Anmeldedienst hat Sie nicht zugelassen. Beginnen Sie in der App von vorn, oder bitten Sie deren Betreiber um Zugang.`
          : say`Die Anmeldung wurde abgebrochen, oder der Anmeldedienst von ${organization} hat Sie nicht zugelassen. Beginnen Sie in der App von vorn, oder bitten Sie ${organization} um Zugang.`,
    },
    sign_in_failed: {
      title: say`Der Anmeldedienst funktioniert gerade nicht`,
      lead: organization =>
        organization === null
          ? say`Versuchen Sie es in einigen Minuten in der App noch einmal. Wenn es weiterhin nicht klappt, informieren Sie deren Betreiber.`
          : say`Der Anmeldedienst von ${organization} ist nicht erreichbar oder antwortet fehlerhaft. Versuchen Sie es in einigen Minuten in der App noch einmal. Wenn es weiterhin nicht klappt, informieren Sie ${organization}.`,
    },
    approval_invalid: {
      title: say`Diese Anfrage lässt sich nicht öffnen`,
      lead: () =>
        say`Vielleicht fehlt ein Teil der Adresse, oder die Anfrage ist beendet. Beginnen Sie noch einmal in der App, aus der Sie kommen.`,
    },
    approval_of_another_user: {
      title: say`Diese Anfrage ist für jemand anderen`,
      lead: organization =>
        organization === null
          ? say`Sie sind als jemand angemeldet, der darüber nicht entscheiden kann.`
          : say`Sie sind bei ${organization} als jemand angemeldet, der darüber nicht entscheiden kann.`,
    },
  },
}
