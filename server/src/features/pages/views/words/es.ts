import { firstName, say } from './sentence.ts'
import type { Words } from './words.ts'

/** No article, "y" or "o" stands before a name, and no participle agrees with one. */
export const es: Words = {
  language: 'es',
  direction: 'ltr',
  languageName: 'Español',

  testMode: say`Modo de prueba`,
  cancel: say`Cancelar`,
  close: say`Cerrar`,
  done: say`Listo`,
  back: say`Atrás`,
  reference: say`Referencia`,
  tryAgain: say`Intentar de nuevo`,
  youMayClose: say`Puedes cerrar esta ventana.`,
  contact: organization => say`Contactar con ${organization}`,
  privacy: say`Privacidad`,
  terms: say`Condiciones`,
  chooseLanguage: say`Idioma`,
  forWhom: user => say`Para ${user}`,
  asks: (organization, connector) =>
    say`El asistente de ${organization} quiere usar tu cuenta de ${connector}.`,
  notExpected: user =>
    user === null ? say`¿No esperabas esto?` : say`¿No eres ${firstName(user)} o no esperabas esto?`,
  someService: 'El servicio',

  server: host => say`Servidor: ${host}`,
  endsSharing: say`Esta cuenta está compartida con otras personas. Si la reemplazas, la nueva cuenta no se compartirá.`,
  reconnectReason: {
    endsOn: (connector, date) =>
      say`Tu conexión con ${connector} termina pronto: ${date}. Vuelve a conectar la cuenta para seguir usándola.`,
    newKeyBy: (connector, date) =>
      say`${connector} pide una nueva clave de API (fecha límite: ${date}). Introdúcela aquí para seguir usando la cuenta.`,
    ended: connector =>
      say`Tu conexión con ${connector} ha terminado. Vuelve a conectar la cuenta para usarla.`,
    failing: connector =>
      say`Es posible que tu conexión con ${connector} termine pronto. Vuelve a conectar la cuenta para seguir usándola.`,
  },

  picker: {
    title: say`¿Qué quieres conectar?`,
    lead: organization => say`El asistente de ${organization} solo usa las cuentas que elijas.`,
    connected: say`Conectada`,
    noneTitle: say`Aún no hay nada que conectar`,
    none: organization => say`${organization} todavía no ha elegido ninguna aplicación.`,
    apps: say`Aplicaciones`,
    search: count =>
      count === 1
        ? say`Buscar en ${String(count)} aplicación`
        : say`Buscar entre ${String(count)} aplicaciones`,
    noMatch: query => say`Ninguna aplicación coincide con «${query}».`,
    missing: say`¿No ves tu aplicación?`,
    missingLead: organization => say`Pide a ${organization} que la añada.`,
    all: say`Todas`,
    categories: {
      communication: say`Comunicación`,
      productivity: say`Productividad`,
      files: say`Archivos`,
      development: say`Desarrollo`,
      sales: say`Ventas`,
      support: say`Atención al cliente`,
      finance: say`Finanzas`,
      data: say`Datos`,
      other: say`Otras`,
    },
    keys: say`↑ ↓ para moverte · Enter para elegir`,
  },

  consent: {
    title: (connector, organization) => say`Conectar ${connector} con ${organization}`,
    permissions: say`El asistente podrá`,
    replaces: account => say`Ya hay una conexión con ${account}. Si continúas, se reemplazará.`,
    trust: (connector, organization) =>
      say`Iniciarás sesión en el sitio oficial de ${connector}. Ni ${organization} ni su modelo de IA ven nunca tu contraseña ni tus claves, y puedes desconectar la cuenta cuando quieras.`,
    start: connector => say`Continuar a ${connector}`,
    leaving: connector => say`Abriendo ${connector}…`,
    insideApp: connector =>
      say`Esta página se abrió dentro de otra aplicación. Si ${connector} no te deja iniciar sesión aquí, abre la página en tu navegador habitual.`,
    copy: say`Copiar la dirección`,
    copied: say`Dirección copiada`,
    kinds: {
      read: say`Leer información`,
      create: say`Crear elementos nuevos`,
      change: say`Cambiar elementos existentes`,
      delete: say`Eliminar elementos`,
    },
    more: count => say`${String(count)} más`,
    wholeAccount: {
      title: connector => say`Usar tu cuenta de ${connector}`,
      detail: say`Puede incluir leer, crear, cambiar y eliminar.`,
    },
    otherWay: connector => say`Usar la integración oficial de ${connector} en su lugar`,
    otherConnector: connector => say`Usar ${connector} en su lugar`,
  },

  waiting: {
    title: say`Termina en la otra ventana`,
    lead: connector => say`Inicia sesión allí en ${connector}. Esta página continuará automáticamente.`,
    stillTitle: say`¿Aún no has terminado?`,
    stillLead: connector => say`Seguimos esperando a ${connector}. Si cerraste la ventana, ábrela de nuevo.`,
    again: say`Abrir de nuevo`,
    blockedTitle: say`Puede que tu navegador haya bloqueado la ventana`,
    blockedLead: connector =>
      say`Si no se abrió ninguna ventana de ${connector}, permite las ventanas emergentes para este sitio y ábrela de nuevo, o continúa en esta pestaña.`,
    here: say`Continuar en esta pestaña`,
  },

  opening: {
    title: say`Un momento`,
    slow: say`Está tardando más de lo normal. Deja la página abierta, por favor.`,
    unreachable: say`No se pudo cargar la página. Comprueba tu conexión e inténtalo de nuevo.`,
    noScript: say`Esta página necesita JavaScript. Permítelo para este sitio o pide que te envíen un enlace por correo electrónico.`,
  },

  offline: say`No tienes conexión a internet. La página continuará cuando vuelva.`,

  apiKey: {
    needs: say`Requiere una clave de API`,
    title: connector => say`Conectar con tu clave de API de ${connector}`,
    where: say`¿Dónde la encuentro?`,
    trust: (connector, organization) =>
      say`Comprobamos la clave con ${connector} y la guardamos cifrada. No vuelve a mostrarse. Ni ${organization} ni su modelo de IA la ven nunca, y puedes desconectar la cuenta cuando quieras.`,
    show: say`Mostrar`,
    hide: say`Ocultar`,
    steps: say`Cómo obtenerla`,
    submit: say`Comprobar y conectar`,
    checking: connector => say`Comprobando con ${connector}…`,
    use: say`Usar una clave de API en su lugar`,
    useSignIn: connector => say`Iniciar sesión con ${connector} en su lugar`,
    replace: say`Cambiar la clave de API`,
    replaceLead: say`Deja un campo vacío para conservar su valor actual.`,
    replaceSubmit: say`Comprobar y cambiar`,
    replaced: say`Ya se usan las nuevas credenciales.`,
    optional: say`Opcional`,
    chooseFile: say`Elegir un archivo`,
    problem: {
      address_unfit: connector => say`Revisa el campo señalado. No parece tu dirección de ${connector}.`,
      format_unfit: () => say`El campo señalado no parece correcto. Comprueba que lo copiaste entero.`,
      fields_missing: () => say`Falta algo. Rellena todos los campos, por favor.`,
      key_rejected: connector =>
        say`${connector} no aceptó esta clave. Comprueba que copiaste la clave completa y que no se ha revocado.`,
      key_check_unavailable: connector =>
        say`${connector} no pudo comprobar esta clave en este momento, así que no la guardamos. Inténtalo de nuevo en unos instantes.`,
      scope_missing: connector =>
        say`${connector} acepta esta clave, pero sus permisos no bastan. Crea una con los permisos que indica la ayuda.`,
      other_account: connector =>
        say`Estos datos son de otra cuenta de ${connector}, así que no se ha cambiado nada. Para usar esa cuenta, añádela en la página anterior.`,
      nothing_entered: () => say`Introduce al menos un valor nuevo.`,
      server_changed: connector =>
        say`${connector} está ahora en otro servidor, así que no se envió nada. Comprueba la dirección de arriba antes de continuar.`,
      private_key_not_a_key: () =>
        say`Esto no es una clave privada. Péguela completa, con la primera y la última línea, o elija el archivo.`,
      private_key_wrong_file: connector =>
        say`Este no es el archivo que proporciona ${connector}. Elija el archivo JSON con la clave.`,
      private_key_encrypted: () =>
        say`Esta clave privada está cifrada con una frase de contraseña. Introduzca una sin frase de contraseña.`,
      private_key_public_key: () =>
        say`Esta es una clave pública. Introduzca la clave privada correspondiente.`,
      private_key_certificate: () =>
        say`Esto es un certificado. Introduzca la clave privada correspondiente.`,
      private_key_wrong_type: connector =>
        say`${connector} necesita una clave privada de otro tipo. Consulte las instrucciones.`,
      private_key_wrong_curve: connector =>
        say`${connector} necesita una clave privada con otra curva. Consulte las instrucciones.`,
      private_key_too_small: () =>
        say`Esta clave privada es demasiado corta. Cree una de al menos 2048 bits.`,
      private_key_too_large: () =>
        say`Esta clave privada es demasiado larga. Cree una de 8192 bits como máximo.`,
      certificate_not_a_certificate: () =>
        say`Esto no es un certificado. Péguelo completo, con la primera y la última línea, o elija el archivo.`,
      certificate_private_key: () =>
        say`Esto es una clave privada. Introduzca el certificado correspondiente.`,
      certificate_wrong_key: () =>
        say`Este certificado corresponde a otra clave privada. Introduzca el certificado y la clave que van juntos.`,
      certificate_expired: () => say`Este certificado ha caducado. Introduzca uno vigente.`,
      certificate_not_yet_valid: () =>
        say`Este certificado todavía no es válido. Introduzca uno que ya lo sea.`,
      certificate_refused: connector =>
        say`${connector} rechazó este certificado. Compruebe que sea el que está registrado allí y que no se haya revocado.`,
    },
  },

  credentialsForm: {
    needs: say`Requiere credenciales`,
    title: connector => say`Conectar tu cuenta de ${connector}`,
    where: say`¿Dónde las encuentro?`,
    trust: (connector, organization) =>
      say`Comprobamos los datos con ${connector} y los guardamos cifrados. No vuelven a mostrarse. Ni ${organization} ni su modelo de IA los ven nunca, y puedes desconectar la cuenta cuando quieras.`,
    steps: say`Cómo obtenerlas`,
    use: say`Introducir credenciales en su lugar`,
    replace: say`Cambiar las credenciales`,
    problem: {
      key_rejected: connector =>
        say`${connector} no ha aceptado estas credenciales. Revisa cada campo y comprueba que no hayan caducado ni se hayan revocado.`,
      key_check_unavailable: connector =>
        say`${connector} no puede comprobar estas credenciales ahora mismo, así que no las hemos guardado. Inténtalo de nuevo en un momento.`,
      scope_missing: connector =>
        say`${connector} acepta estas credenciales, pero no tienen permisos suficientes. Añade los permisos indicados junto al campo e inténtalo de nuevo.`,
    },
  },

  chooseSite: {
    site: {
      title: say`Elige un sitio`,
      lead: (connector, organization) =>
        say`Tu cuenta de ${connector} tiene varios sitios. El asistente de ${organization} usará solo el que elijas.`,
      sites: say`Tus sitios`,
      unlisted: say`Elige uno de los sitios de la lista.`,
    },
    organization: {
      title: say`Elige una organización`,
      lead: (connector, organization) =>
        say`Tu cuenta de ${connector} tiene acceso a varias organizaciones. El asistente de ${organization} usará solo la que elijas.`,
      sites: say`Tus organizaciones`,
      unlisted: say`Elige una de las organizaciones de la lista.`,
    },
  },

  chooseAccount: {
    title: say`¿Reemplazar o añadir?`,
    lead: (connector, account) =>
      say`Has iniciado sesión en ${connector} como ${account}. Ya hay otra cuenta de ${connector} conectada.`,
    leadUnnamed: connector => say`Ya hay otra cuenta de ${connector} conectada.`,
    choices: say`Tu elección`,
    add: say`Añadir como otra cuenta`,
    addDetail: say`Ambas seguirán conectadas. El asistente preguntará cuál usar.`,
    replace: label => say`Reemplazar ${label}`,
    replaceDetail: say`Esta cuenta se desconectará.`,
    unlisted: say`Esa cuenta ya no está conectada. Elige de nuevo.`,
  },

  receipt: {
    data: say`Tus datos`,
    untouched: say`No se ha conectado ni compartido nada.`,
    unchanged: say`Volver a abrir el enlace no cambió nada, y no se ha compartido nada.`,
    account: say`Cuenta`,
    user: say`Para`,
    usedBy: say`La usa`,
    assistant: organization => say`El asistente de ${organization}`,
    hiddenFrom: organization => say`Oculto para ${organization}`,
    secrets: say`Tu contraseña y tus claves`,
    undo: say`Desconectar`,
    settings: organization => say`Cuando quieras, en los ajustes de ${organization}`,
  },

  connected: {
    title: connector => say`Tu cuenta de ${connector} está conectada`,
    lead: organization => say`El asistente de ${organization} puede seguir donde lo dejó.`,
    back: organization => say`Volver a ${organization}`,
    another: say`Conectar otra aplicación`,
    awaiting: organization => say`${organization} está terminando la conexión`,
  },

  returning: {
    title: {
      success: organization => say`Volviendo a ${organization}`,
      exit: organization => say`Volviendo a ${organization}`,
      error: (_, connector) =>
        connector === null ? say`No se pudo conectar la cuenta` : say`No se pudo conectar ${connector}`,
    },
    lead: {
      success: organization => say`La conexión se completará al abrirse ${organization}.`,
      exit: () => say`Lo dejaste antes de que se conectara nada.`,
      error: organization => say`Vuelves a ${organization}, donde podrás intentarlo de nuevo.`,
    },
    signedIn: connector =>
      connector === null
        ? say`Has iniciado sesión. Tu contraseña y tus claves siguen siendo privadas.`
        : say`Has iniciado sesión en ${connector}. Tu contraseña y tus claves siguen siendo privadas.`,
    button: say`Volver a la aplicación`,
    hint: say`Si no se abre nada, usa el botón.`,
  },

  connections: {
    title: say`Tus conexiones`,
    lead: organization => say`Las cuentas que el asistente de ${organization} puede usar por ti.`,
    open: say`Ver mis conexiones`,
    openLead: organization =>
      say`Consulta las cuentas que has conectado con ${organization} y cuándo se usaron. Puedes ponerlas en pausa o desconectarlas.`,
    noneTitle: say`Aún no hay conexiones`,
    none: organization => say`Todavía no has conectado ninguna cuenta con ${organization}.`,
    sharedTitle: say`Compartidas contigo`,
    sharedLead: organization =>
      say`El asistente de ${organization} también puede usar estas cuentas por ti. Solo sus propietarios pueden modificarlas.`,
    sharedByOrganization: organization => say`Cuenta de ${organization}`,
    state: {
      active: say`Conectada`,
      at_risk: say`Termina pronto`,
      needs_reauth: say`Requiere iniciar sesión`,
      paused: say`En pausa`,
    },
    status: say`Estado`,
    since: say`Desde`,
    activity: say`Actividad reciente`,
    noActivity: say`El asistente aún no ha usado esta cuenta.`,
    activityNote: say`La lista muestra nombres y horas, no contenidos.`,
    failedCall: say`Error`,
    pausedUntil: time => say`En pausa hasta ${time}.`,
    pausedLead: organization =>
      say`Hasta entonces, el asistente de ${organization} no puede usar esta cuenta. Después se reanuda automáticamente.`,
    needsReauth: connector =>
      say`${connector} ya no acepta esta conexión. Vuelve a conectar la cuenta para usarla.`,
    reconnectElsewhere: organization => say`Para volver a conectar esta cuenta, abre ${organization}.`,
    pause: say`Pausar una hora`,
    resume: say`Reanudar ahora`,
    label: say`Nombre`,
    labelHint: say`El asistente ve este nombre y lo usa para elegir la cuenta.`,
    labelRejected: say`Elige otro nombre. Debe ocupar una sola línea y no puede ser el de otra cuenta.`,
    save: say`Guardar`,
    add: say`Añadir otra cuenta`,
    reconnect: say`Volver a conectar`,
    disconnect: say`Desconectar`,
    back: say`Volver a tus conexiones`,
    confirmTitle: connector => say`¿Desconectar ${connector}?`,
    confirmLead: (organization, connector) =>
      say`El asistente de ${organization} ya no podrá usar esta cuenta de ${connector}. Podrás volver a conectarla más adelante.`,
    keep: say`Mantener la conexión`,
    doneTitle: connector => say`Has desconectado ${connector}`,
    doneLead: organization => say`El asistente de ${organization} ya no puede usar esta cuenta.`,
    stored: say`Acceso guardado`,
    deleted: say`Eliminado. El asistente ya no puede usar la cuenta.`,
    atProvider: connector => say`En ${connector}`,
    revocation: {
      pending: connector => say`Estamos pidiendo a ${connector} que revoque el acceso.`,
      revoked: connector => say`${connector} ha confirmado que el acceso está revocado.`,
      not_supported: connector =>
        say`${connector} no nos permite revocar el acceso. Por seguridad, elimina la clave o el permiso en tu cuenta de ${connector}.`,
      kept_shared: connector =>
        say`Otra conexión usa el mismo permiso, por lo que no se ha revocado. Puedes retirarlo en tu cuenta de ${connector}.`,
      gave_up: connector =>
        say`${connector} no ha confirmado que el acceso esté revocado. Retíralo en tu cuenta de ${connector}.`,
    },
    checkAgain: say`Comprobar de nuevo`,
    pending: say`Pendiente de tu decisión`,
    pendingLead: organization =>
      say`Aquí puedes rechazar. Para aprobar, abre la solicitud en ${organization}.`,
    refuse: action => say`No permitir: ${action}`,
    remembered: say`Permitido sin preguntarte`,
    rememberedUntil: time => say`hasta ${time}`,
    usesLeft: count => say`usos restantes: ${count}`,
    anyText: say`cualquier texto`,
    askAgain: action => say`Volver a preguntarme: ${action}`,
    decisions: say`Tus últimas decisiones`,
    decision: { approve: say`Aprobado`, deny: say`No permitido` },
    clients: say`Aplicaciones con acceso a tus herramientas`,
    signOut: client => say`Cerrar la sesión de ${client}`,
  },

  signIn: {
    title: (client, organization) => say`¿Permitir que ${client} use tus herramientas de ${organization}?`,
    lead: (client, organization) =>
      say`${client} podrá usar estas herramientas por ti, con las cuentas que has conectado con ${organization}.`,
    client: say`Aplicación`,
    returnsTo: say`Vuelve a`,
    thisDevice: say`Una aplicación de este dispositivo`,
    tools: say`Herramientas`,
    warning: client =>
      say`Continúa solo si acabas de iniciar esto en ${client}. La aplicación nunca ve tus contraseñas ni tus claves.`,
    allow: say`Permitir`,
    deny: say`No permitir`,
  },

  approval: {
    title: connector => say`¿Aprobar esta acción en ${connector}?`,
    lead: organization => say`El asistente de ${organization} quiere hacer exactamente esto, una vez.`,
    tool: say`Acción`,
    serverTool: say`Acción, según el servidor`,
    noAccount: say`Sin cuenta`,
    labeled: label => say`tu etiqueta: ${label}`,
    destructive: say`Puede cambiar o eliminar datos, y quizá no se pueda deshacer.`,
    unverified: say`No se ha verificado lo que hace este servidor. Puede cambiar o eliminar datos.`,
    noArguments: say`La acción no tiene más detalles.`,
    noPreview: connector =>
      say`No se han podido cargar los detalles de ${connector}, así que quizá veas identificadores en lugar de nombres.`,
    roles: { recipient: say`Destinatario`, amount: say`Importe`, target: say`Objetivo` },
    empty: say`vacío`,
    folded: {
      long: count => say`${count} caracteres, aún sin abrir`,
      binary: count => say`${count} caracteres de datos codificados, aún sin abrir`,
    },
    showAll: say`Mostrar todo`,
    mixed: words => say`Letras de distintos alfabetos: ${words}`,
    previous: {
      same: time => say`Esta misma acción ya se realizó: ${time}.`,
      marked: time => say`Se marca lo que ha cambiado desde la última vez, ${time}.`,
      lastTime: say`La última vez`,
      added: say`La última vez no estaba`,
      differs: say`Distinto de la última vez`,
      gone: say`Esta vez no está`,
    },
    reasons: organization => say`Por qué te pregunta ${organization}`,
    request: say`La solicitud que se enviará`,
    once: say`Solo se hará esto, y solo una vez. Si algo cambia, se te preguntará de nuevo.`,
    openFirst: say`Abre todo lo que está plegado antes de aprobar.`,
    approve: say`Aprobar una vez`,
    remember: {
      open: say`Aprobar y recordar…`,
      label: say`Permitir lo mismo sin preguntarme`,
      periods: {
        hour: uses => say`durante una hora, hasta ${uses} veces`,
        day: uses => say`durante un día, hasta ${uses} veces`,
        month: uses => say`durante 30 días, hasta ${uses} veces`,
      },
      anyText: say`también si el texto es distinto`,
      hint: say`Todo lo demás debe seguir exactamente igual. Puedes anularlo donde gestionas tus cuentas.`,
      approve: say`Aprobar y recordar`,
    },
    deny: say`No permitir…`,
    reason: say`Motivo para el asistente`,
    denyCall: say`No permitir`,
    entry: {
      title: say`Hay una decisión pendiente`,
      lead: organization => say`El asistente de ${organization} necesita tu aprobación para continuar.`,
      again: say`Inicias sesión de nuevo para cada decisión, así nadie puede decidir por ti.`,
      signIn: say`Iniciar sesión para verla`,
      view: say`Ver la solicitud`,
      fromApp: organization => say`Abre esta solicitud en ${organization} para verla y decidir.`,
    },
    endings: {
      approved: {
        title: say`Aprobado`,
        lead: organization =>
          say`Ahora el asistente de ${organization} puede hacerlo una vez. Para cualquier otra cosa tendrá que preguntarte de nuevo.`,
      },
      executing: {
        title: say`Aprobado`,
        lead: organization => say`El asistente de ${organization} lo está haciendo en este momento.`,
      },
      done: {
        title: say`Hecho`,
        lead: organization =>
          say`El asistente de ${organization} lo ha hecho una vez. Para repetirlo tendrá que preguntarte de nuevo.`,
      },
      remembered: {
        title: say`Aprobado`,
        lead: organization =>
          say`El asistente de ${organization} puede repetirlo sin preguntarte durante el tiempo que elegiste.`,
      },
      waits_for_others: {
        title: say`Aprobado`,
        lead: organization => say`Otra persona de ${organization} también tiene que aprobarlo.`,
      },
      denied: {
        title: say`No permitido`,
        lead: organization => say`No se ha hecho nada. Se ha informado al asistente de ${organization}.`,
      },
      failed: {
        title: say`Aprobado, pero falló`,
        lead: organization => say`El asistente de ${organization} lo intentó una vez y no lo consiguió.`,
      },
      unknown: {
        title: say`Aprobado, con resultado desconocido`,
        lead: organization =>
          say`La conexión se cortó mientras el asistente de ${organization} lo hacía, así que no se sabe si llegó a hacerse. No se repetirá.`,
      },
      expired: {
        title: say`Ya no se puede decidir`,
        lead: organization =>
          say`Esta solicitud ha terminado y no se ha hecho nada. El asistente de ${organization} puede preguntar de nuevo.`,
      },
      account_changed: {
        title: say`La cuenta ha cambiado`,
        lead: organization =>
          say`La cuenta de esta solicitud se ha vuelto a conectar, se ha desconectado o se comparte de otra forma, y no se ha hecho nada. El asistente de ${organization} puede preguntar de nuevo.`,
      },
      action_changed: {
        title: say`La acción ha cambiado`,
        lead: organization =>
          say`Lo que se te preguntó ha cambiado desde entonces y no se ha hecho nada. El asistente de ${organization} puede preguntar de nuevo.`,
      },
      rules_changed: {
        title: say`Las reglas han cambiado`,
        lead: organization =>
          say`Esta acción ya no está permitida o deben aprobarla otras personas, y no se ha hecho nada. El asistente de ${organization} puede preguntar de nuevo.`,
      },
    },
  },

  expired: {
    title: say`Este enlace ha caducado`,
    lead: () => say`Para proteger tus cuentas, cada enlace funciona solo durante un tiempo breve.`,
    ask: organization => say`Pedir un enlace nuevo a ${organization}`,
    askedTitle: say`Solicitud enviada`,
    askedLead: organization =>
      say`${organization} puede ver que necesitas un enlace nuevo y decide si te lo envía. Si no llega ninguno, contacta con ${organization}.`,
  },

  withdrawn: { title: say`Este enlace ya no es válido`, lead: say`Se retiró antes de que terminaras.` },

  used: {
    title: say`Este enlace ya se ha usado`,
    lead: connector =>
      connector === null
        ? say`Cada enlace funciona una sola vez.`
        : say`Sirvió para conectar ${connector}. Cada enlace funciona una sola vez.`,
    unconfirmed: connector =>
      say`Aún no se ha conectado ${connector}. La aplicación que te envió aquí todavía tiene que confirmarlo. Cada enlace funciona una sola vez.`,
  },

  askForNewLink: organization =>
    organization === null ? say`Pide uno nuevo a quien te lo envió.` : say`Pide uno nuevo a ${organization}.`,

  cancelled: {
    title: say`Has cancelado`,
    lead: connector =>
      connector === null
        ? say`Puedes volver a abrir el enlace mientras sea válido.`
        : say`No se conectó ${connector}. Puedes volver a abrir el enlace mientras sea válido.`,
    unexpectedTitle: say`Hemos detenido esta solicitud`,
    unexpectedLead: organization =>
      organization === null
        ? say`Gracias por estar alerta. Borra el mensaje con el enlace y no lo reenvíes.`
        : say`Gracias por estar alerta. Borra el mensaje con el enlace, no lo reenvíes y avisa a ${organization} si llega otro.`,
  },

  failed: {
    title: connector =>
      connector === null ? say`No se pudo conectar la cuenta` : say`No se pudo conectar ${connector}`,
    reason: {
      provider_error: connector =>
        say`${connector} informó de un problema y el inicio de sesión no se completó.`,
      provider_timeout: connector => say`${connector} tardó demasiado en responder.`,
      provider_unavailable: connector => say`${connector} no responde en este momento.`,
      exchange_failed: connector => say`${connector} no confirmó tu inicio de sesión.`,
      issuer_mismatch: connector => say`La respuesta no vino de ${connector}, así que la rechazamos.`,
      invalid_state: () =>
        say`La respuesta no corresponde al inicio de sesión que empezaste aquí, así que la rechazamos.`,
      session_expired: () => say`El enlace caducó mientras iniciabas sesión.`,
      key_rejected: connector => say`${connector} no aceptó la clave.`,
      key_check_unavailable: connector =>
        say`${connector} no pudo comprobar la clave en este momento, así que no la guardamos.`,
      certificate_refused: connector => say`${connector} rechazó el certificado.`,
      scope_missing: connector => say`${connector} no concedió todos los permisos necesarios.`,
      no_site: connector =>
        say`${connector} no encontró ningún sitio ni organización que tu cuenta pueda usar. Pide al administrador que te añada o inicia sesión con otra cuenta.`,
      connector_removed: connector => say`${connector} ya no se ofrece aquí.`,
      internal: () => say`Algo ha fallado por nuestra parte.`,
    },
    giveUp: organization =>
      organization === null
        ? say`Si vuelve a ocurrir, avisa a quien te envió el enlace e indica la referencia.`
        : say`Si vuelve a ocurrir, avisa a ${organization} e indica la referencia.`,
  },

  refused: {
    invalid_link: {
      title: say`Este enlace no funciona`,
      lead: () => say`Puede que falte parte de la dirección. Pide uno nuevo a quien te lo envió.`,
    },
    user_inactive: {
      title: say`Este enlace está en pausa`,
      lead: organization =>
        organization === null
          ? say`La cuenta para la que se creó no está activa. Pregunta a quien te lo envió.`
          : say`La cuenta de ${organization} para la que se creó no está activa. Pide a ${organization} que la active.`,
    },
    unauthorized_origin: {
      title: say`Este enlace no se puede usar`,
      lead: organization =>
        organization === null
          ? say`Te enviaría a una dirección que no está aprobada.`
          : say`Te enviaría a una dirección que ${organization} no ha aprobado.`,
    },
    other_browser: {
      title: say`Continúa en el navegador en el que empezaste`,
      lead: () => say`Empezaste en otro navegador o dispositivo. Vuelve allí o abre de nuevo el enlace aquí.`,
    },
    opened_elsewhere: {
      title: say`Este enlace se abrió en otro navegador`,
      lead: organization =>
        organization === null
          ? say`Solo funciona en el navegador que lo abrió primero. Pide un enlace nuevo para este navegador.`
          : say`Solo funciona en el navegador que lo abrió primero. Pide a ${organization} un enlace nuevo para este navegador.`,
    },
    cookies_blocked: {
      title: say`Tu navegador bloquea las cookies`,
      lead: () =>
        say`Necesitamos una cookie para comprobar que eres tú. Permite las cookies para este sitio y vuelve a abrir el enlace.`,
    },
    too_many_requests: {
      title: say`Demasiados intentos`,
      lead: () => say`Espera un minuto y vuelve a abrir el enlace.`,
    },
    connector_gone: {
      title: say`Esta aplicación ya no está disponible`,
      lead: organization =>
        organization === null
          ? say`La aplicación de este enlace ya no se puede conectar. Pide un enlace nuevo.`
          : say`${organization} ya no ofrece la aplicación de este enlace. Pide un enlace nuevo a ${organization}.`,
    },
    unavailable: {
      title: say`Volvemos enseguida`,
      lead: () =>
        say`Esta página no está disponible en este momento. Tu enlace sigue siendo válido. Ábrelo de nuevo en unos minutos.`,
    },
    organization_moving: {
      title: say`Un momento`,
      lead: () =>
        say`Esta página se está trasladando a otro servidor. Tu enlace sigue siendo válido. Inténtalo de nuevo en unos segundos.`,
    },
    wrong_cell: {
      title: say`Esta página no se puede mostrar aquí`,
      lead: () => say`Tu enlace pertenece a otro servidor. Ábrelo de nuevo desde donde lo recibiste.`,
    },
    organization_suspended: {
      title: say`Las conexiones están en pausa`,
      lead: organization =>
        organization === null
          ? say`La conexión de cuentas está en pausa por ahora. Tus conexiones actuales se conservan. Pregunta a quien te envió el enlace.`
          : say`${organization} no puede conectar cuentas por ahora. Tus conexiones actuales se conservan. Pregunta a ${organization} cuándo volverá a ser posible.`,
    },
    sign_in_invalid: {
      title: say`Este inicio de sesión no puede continuar`,
      lead: () =>
        say`Ha caducado, ya ha terminado o está incompleto. Empieza de nuevo en la aplicación de la que vienes.`,
    },
    sign_in_not_allowed: {
      title: say`No tienes acceso`,
      lead: organization =>
        organization === null
          ? say`Aquí no hay ninguna cuenta activa para ti. Pregunta a quien gestiona la aplicación.`
          : say`${organization} no tiene ninguna cuenta activa para ti. Pide acceso a ${organization}.`,
    },
    sign_in_unmatched: {
      title: say`No hemos podido asociarte a una cuenta`,
      lead: organization =>
        organization === null
          ? say`El servicio de inicio de sesión no ha enviado el dato que te identifica. Pide a quien gestiona la aplicación que revise la configuración del inicio de sesión.`
          : say`El servicio de inicio de sesión de ${organization} no ha enviado el dato que te identifica. Pide a ${organization} que revise la configuración del inicio de sesión.`,
    },
    sign_in_email_unverified: {
      title: say`Tu correo electrónico no está verificado`,
      lead: organization =>
        organization === null
          ? say`El servicio de inicio de sesión no ha verificado tu correo electrónico. Verifícalo allí y empieza de nuevo, o pregunta a quien gestiona la aplicación.`
          : say`El servicio de inicio de sesión de ${organization} no ha verificado tu correo electrónico. Verifícalo allí y empieza de nuevo, o pide ayuda a ${organization}.`,
    },
    sign_in_denied: {
      title: say`No has iniciado sesión`,
      lead: organization =>
        organization === null
          ? say`El inicio de sesión se canceló o el servicio no te dejó entrar. Empieza de nuevo en la aplicación de la que vienes o pide acceso a quien la gestiona.`
          : say`El inicio de sesión se canceló o el servicio de ${organization} no te dejó entrar. Empieza de nuevo en la aplicación de la que vienes o pide acceso a ${organization}.`,
    },
    sign_in_failed: {
      title: say`El servicio de inicio de sesión no funciona`,
      lead: organization =>
        organization === null
          ? say`Inténtalo de nuevo dentro de unos minutos en la aplicación de la que vienes. Si sigue fallando, avisa a quien la gestiona.`
          : say`No se ha podido usar el servicio de inicio de sesión de ${organization}. Inténtalo de nuevo dentro de unos minutos en la aplicación de la que vienes. Si sigue fallando, avisa a ${organization}.`,
    },
    approval_invalid: {
      title: say`Esta solicitud no se puede abrir`,
      lead: () =>
        say`Puede que falte parte de la dirección o que la solicitud haya terminado. Empieza de nuevo en la aplicación de la que vienes.`,
    },
    approval_of_another_user: {
      title: say`Esta solicitud es para otra persona`,
      lead: organization =>
        organization === null
          ? say`Has iniciado sesión como alguien que no puede decidir sobre ella.`
          : say`Has iniciado sesión en ${organization} como alguien que no puede decidir sobre ella.`,
    },
  },
}
