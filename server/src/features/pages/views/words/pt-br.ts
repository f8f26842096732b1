import { firstName, say } from './sentence.ts'
import type { Words } from './words.ts'

/** No article stands before a name ("de X", never "do X" or "da X"), and no participle agrees with one. */
export const ptBr: Words = {
  language: 'pt-BR',
  direction: 'ltr',
  languageName: 'Português (Brasil)',

  testMode: say`Modo de teste`,
  cancel: say`Cancelar`,
  close: say`Fechar`,
  done: say`Concluir`,
  back: say`Voltar`,
  reference: say`Referência`,
  tryAgain: say`Tentar novamente`,
  youMayClose: say`Você pode fechar esta janela.`,
  contact: organization => say`Falar com ${organization}`,
  privacy: say`Privacidade`,
  terms: say`Termos`,
  chooseLanguage: say`Idioma`,
  forWhom: user => say`Para ${user}`,
  asks: (organization, connector) => say`O assistente de ${organization} quer usar sua conta ${connector}.`,
  notExpected: user =>
    user === null
      ? say`Não esperava por isto?`
      : say`Você não é ${firstName(user)} ou não esperava por isto?`,
  someService: 'O serviço',

  server: host => say`Servidor: ${host}`,
  endsSharing: say`Esta conta é compartilhada com outras pessoas. Se você a substituir, a nova conta não será compartilhada.`,
  reconnectReason: {
    endsOn: (connector, date) =>
      say`Sua conexão com ${connector} termina em ${date}. Reconecte a conta para continuar a usá-la.`,
    newKeyBy: (connector, date) =>
      say`${connector} pede uma nova chave de API até ${date}. Informe-a aqui para continuar a usar a conta.`,
    ended: connector => say`Sua conexão com ${connector} terminou. Reconecte a conta para voltar a usá-la.`,
    failing: connector =>
      say`Sua conexão com ${connector} pode terminar em breve. Reconecte a conta para continuar a usá-la.`,
  },

  picker: {
    title: say`O que você quer conectar?`,
    lead: organization => say`O assistente de ${organization} só usa as contas que você escolher.`,
    connected: say`Conectado`,
    noneTitle: say`Nada para conectar ainda`,
    none: organization => say`${organization} ainda não escolheu nenhum app.`,
    apps: say`Apps`,
    search: count =>
      count === 1 ? say`Buscar em ${String(count)} app` : say`Buscar em ${String(count)} apps`,
    noMatch: query => say`Nenhum app encontrado para “${query}”.`,
    missing: say`Não encontrou seu app?`,
    missingLead: organization => say`Peça para ${organization} adicionar.`,
    all: say`Todos`,
    categories: {
      communication: say`Comunicação`,
      productivity: say`Produtividade`,
      files: say`Arquivos`,
      development: say`Desenvolvimento`,
      sales: say`Vendas`,
      support: say`Atendimento`,
      finance: say`Finanças`,
      data: say`Dados`,
      other: say`Outros`,
    },
    keys: say`↑ ↓ para navegar · Enter para escolher`,
  },

  consent: {
    title: (connector, organization) => say`Conectar ${connector} com ${organization}`,
    permissions: say`O assistente poderá`,
    replaces: account => say`Já existe uma conexão com ${account}. Se você continuar, ela será substituída.`,
    trust: (connector, organization) =>
      say`O login é feito no site oficial de ${connector}. Nem ${organization} nem o modelo de IA veem sua senha ou suas chaves, e você pode desconectar a qualquer momento.`,
    start: connector => say`Continuar para ${connector}`,
    leaving: connector => say`Abrindo ${connector}…`,
    insideApp: connector =>
      say`Esta página foi aberta dentro de outro app. Se ${connector} não permitir o login aqui, abra a página no seu navegador.`,
    copy: say`Copiar o endereço`,
    copied: say`Endereço copiado`,
    kinds: {
      read: say`Ler informações`,
      create: say`Criar novos itens`,
      change: say`Alterar itens existentes`,
      delete: say`Excluir itens`,
    },
    more: count => say`e mais ${String(count)}`,
    wholeAccount: {
      title: connector => say`Usar sua conta ${connector}`,
      detail: say`Isso pode incluir ler, criar, alterar e excluir.`,
    },
    otherWay: connector => say`Usar a integração oficial de ${connector}`,
    otherConnector: connector => say`Usar ${connector}`,
  },

  waiting: {
    title: say`Continue na outra janela`,
    lead: connector => say`Faça login em ${connector} por lá. Esta página continua automaticamente.`,
    stillTitle: say`Ainda não terminou?`,
    stillLead: connector =>
      say`Ainda estamos esperando a resposta de ${connector}. Se você fechou a janela, abra de novo.`,
    again: say`Abrir de novo`,
    blockedTitle: say`Seu navegador pode ter bloqueado a janela`,
    blockedLead: connector =>
      say`Se nenhuma janela de ${connector} abriu, permita pop-ups neste site e abra de novo, ou continue nesta aba.`,
    here: say`Continuar nesta aba`,
  },

  opening: {
    title: say`Um momento`,
    slow: say`Está demorando mais que o normal. Mantenha a página aberta, por favor.`,
    unreachable: say`Não foi possível carregar a página. Verifique sua conexão e tente novamente.`,
    noScript: say`Esta página precisa de JavaScript. Permita o uso neste site ou peça um link por e-mail.`,
  },

  offline: say`Você está sem internet. A página continua quando a conexão voltar.`,

  apiKey: {
    needs: say`Precisa de uma chave de API`,
    title: connector => say`Conectar com sua chave de API ${connector}`,
    where: say`Onde encontro a chave?`,
    trust: (connector, organization) =>
      say`Verificamos a chave com ${connector} e a guardamos criptografada. Ela nunca mais é exibida. Nem ${organization} nem o modelo de IA têm acesso a ela, e você pode desconectar a qualquer momento.`,
    show: say`Mostrar`,
    hide: say`Ocultar`,
    steps: say`Como obter a chave`,
    submit: say`Verificar e conectar`,
    checking: connector => say`Verificando com ${connector}…`,
    use: say`Usar uma chave de API`,
    useSignIn: connector => say`Entrar com ${connector}`,
    replace: say`Trocar a chave de API`,
    replaceLead: say`Deixe um campo vazio para manter o valor atual.`,
    replaceSubmit: say`Verificar e trocar`,
    replaced: say`As novas credenciais já estão em uso.`,
    optional: say`Opcional`,
    chooseFile: say`Escolher um arquivo`,
    problem: {
      address_unfit: connector =>
        say`Confira o campo marcado. Não parece ser o seu endereço de ${connector}.`,
      format_unfit: () => say`O campo marcado não parece correto. Confira se você copiou tudo.`,
      fields_missing: () => say`Está faltando algo. Preencha todos os campos, por favor.`,
      key_rejected: connector =>
        say`${connector} não aceitou esta chave. Confira se você copiou a chave inteira e se ela não foi revogada.`,
      key_check_unavailable: connector =>
        say`${connector} não conseguiu verificar esta chave agora, por isso não a salvamos. Tente novamente em instantes.`,
      scope_missing: connector =>
        say`${connector} aceita esta chave, mas as permissões dela não bastam. Crie uma com as permissões indicadas na dica.`,
      other_account: connector =>
        say`Estes dados são de outra conta ${connector}, então nada foi alterado. Para usar essa conta, adicione-a na página anterior.`,
      nothing_entered: () => say`Informe pelo menos um valor novo.`,
      server_changed: connector =>
        say`${connector} agora está em outro servidor, por isso nada foi enviado. Confira o endereço acima antes de continuar.`,
      private_key_not_a_key: () =>
        say`Isto não é uma chave privada. Cole-a por completo, com a primeira e a última linha, ou escolha o arquivo.`,
      private_key_wrong_file: connector =>
        say`Este não é o arquivo fornecido por ${connector}. Escolha o arquivo JSON com a chave.`,
      private_key_encrypted: () =>
        say`Esta chave privada está criptografada com uma senha. Insira uma sem senha.`,
      private_key_public_key: () => say`Esta é uma chave pública. Insira a chave privada correspondente.`,
      private_key_certificate: () => say`Isto é um certificado. Insira a chave privada correspondente.`,
      private_key_wrong_type: connector =>
        say`${connector} precisa de uma chave privada de outro tipo. Consulte as instruções.`,
      private_key_wrong_curve: connector =>
        say`${connector} precisa de uma chave privada com outra curva. Consulte as instruções.`,
      private_key_too_small: () => say`Esta chave privada é curta demais. Crie uma com pelo menos 2048 bits.`,
      private_key_too_large: () => say`Esta chave privada é longa demais. Crie uma com no máximo 8192 bits.`,
      certificate_not_a_certificate: () =>
        say`Isto não é um certificado. Cole-o por completo, com a primeira e a última linha, ou escolha o arquivo.`,
      certificate_private_key: () => say`Isto é uma chave privada. Insira o certificado correspondente.`,
      certificate_wrong_key: () =>
        say`Este certificado pertence a outra chave privada. Insira o certificado e a chave que se correspondem.`,
      certificate_expired: () => say`Este certificado expirou. Insira um que esteja em vigor.`,
      certificate_not_yet_valid: () =>
        say`Este certificado ainda não é válido. Insira um que já seja válido.`,
      certificate_refused: connector =>
        say`${connector} recusou este certificado. Verifique se é o que está registrado lá e se ele não foi revogado.`,
    },
  },

  credentialsForm: {
    needs: say`Precisa de credenciais`,
    title: connector => say`Conectar sua conta ${connector}`,
    where: say`Onde encontro os dados?`,
    trust: (connector, organization) =>
      say`Verificamos os dados com ${connector} e os guardamos criptografados. Eles nunca mais são exibidos. Nem ${organization} nem o modelo de IA têm acesso a eles, e você pode desconectar a qualquer momento.`,
    steps: say`Como obter os dados`,
    use: say`Informar credenciais`,
    replace: say`Trocar as credenciais`,
    problem: {
      key_rejected: connector =>
        say`${connector} não aceitou estas credenciais. Confira cada campo e se elas não expiraram nem foram revogadas.`,
      key_check_unavailable: connector =>
        say`${connector} não pôde verificar estas credenciais agora, por isso não as guardamos. Tente novamente em instantes.`,
      scope_missing: connector =>
        say`${connector} aceita estas credenciais, mas elas não têm permissões suficientes. Adicione as permissões indicadas na dica e tente novamente.`,
    },
  },

  chooseSite: {
    site: {
      title: say`Escolha um site`,
      lead: (connector, organization) =>
        say`Sua conta ${connector} tem vários sites. O assistente de ${organization} usará somente o que você escolher.`,
      sites: say`Seus sites`,
      unlisted: say`Escolha um dos sites da lista.`,
    },
    organization: {
      title: say`Escolha uma organização`,
      lead: (connector, organization) =>
        say`Sua conta ${connector} tem acesso a várias organizações. O assistente de ${organization} usará somente a que você escolher.`,
      sites: say`Suas organizações`,
      unlisted: say`Escolha uma das organizações da lista.`,
    },
  },

  chooseAccount: {
    title: say`Substituir ou adicionar?`,
    lead: (connector, account) =>
      say`Você entrou em ${connector} como ${account}. Outra conta ${connector} já está conectada.`,
    leadUnnamed: connector => say`Outra conta ${connector} já está conectada.`,
    choices: say`Sua escolha`,
    add: say`Adicionar como outra conta`,
    addDetail: say`As duas continuam conectadas. O assistente pergunta qual usar.`,
    replace: label => say`Substituir ${label}`,
    replaceDetail: say`Esta conta será desconectada.`,
    unlisted: say`Essa conta não está mais conectada. Escolha novamente.`,
  },

  receipt: {
    data: say`Seus dados`,
    untouched: say`Nada foi conectado nem compartilhado.`,
    unchanged: say`Abrir o link de novo não mudou nada, e nada foi compartilhado.`,
    account: say`Conta`,
    user: say`Para`,
    usedBy: say`Usada por`,
    assistant: organization => say`Assistente de ${organization}`,
    hiddenFrom: organization => say`Oculto para ${organization}`,
    secrets: say`Sua senha e suas chaves`,
    undo: say`Desconectar`,
    settings: organization => say`A qualquer momento, nas configurações de ${organization}`,
  },

  connected: {
    title: connector => say`Sua conta ${connector} está conectada`,
    lead: organization => say`O assistente de ${organization} pode continuar de onde parou.`,
    back: organization => say`Voltar para ${organization}`,
    another: say`Conectar outro app`,
    awaiting: organization => say`${organization} está concluindo a conexão`,
  },

  returning: {
    title: {
      success: organization => say`Voltando para ${organization}`,
      exit: organization => say`Voltando para ${organization}`,
      error: (_, connector) =>
        connector === null
          ? say`Não foi possível conectar a conta`
          : say`Não foi possível conectar ${connector}`,
    },
    lead: {
      success: organization => say`A conexão será concluída quando ${organization} abrir.`,
      exit: () => say`Você parou antes que algo fosse conectado.`,
      error: organization => say`Você está voltando para ${organization}, onde pode tentar de novo.`,
    },
    signedIn: connector =>
      connector === null
        ? say`Você fez login. Sua senha e suas chaves continuam privadas.`
        : say`Você fez login em ${connector}. Sua senha e suas chaves continuam privadas.`,
    button: say`Voltar para o app`,
    hint: say`Se nada abrir, use o botão.`,
  },

  connections: {
    title: say`Suas conexões`,
    lead: organization => say`As contas que o assistente de ${organization} pode usar por você.`,
    open: say`Ver minhas conexões`,
    openLead: organization =>
      say`Veja as contas que você conectou com ${organization} e quando foram usadas. Você pode pausá-las ou desconectá-las.`,
    noneTitle: say`Nenhuma conexão ainda`,
    none: organization => say`Você ainda não conectou nenhuma conta com ${organization}.`,
    sharedTitle: say`Compartilhadas com você`,
    sharedLead: organization =>
      say`O assistente de ${organization} também pode usar estas contas por você. Só os proprietários podem alterá-las.`,
    sharedByOrganization: organization => say`Conta de ${organization}`,
    state: {
      active: say`Conectada`,
      at_risk: say`Termina em breve`,
      needs_reauth: say`Requer novo login`,
      paused: say`Em pausa`,
    },
    status: say`Situação`,
    since: say`Desde`,
    activity: say`Atividade recente`,
    noActivity: say`O assistente ainda não usou esta conta.`,
    activityNote: say`A lista mostra nomes e horários, não conteúdos.`,
    failedCall: say`Falhou`,
    pausedUntil: time => say`Em pausa até ${time}.`,
    pausedLead: organization =>
      say`Até lá, o assistente de ${organization} não pode usar esta conta. Depois, o uso é retomado automaticamente.`,
    needsReauth: connector =>
      say`${connector} não aceita mais esta conexão. Reconecte a conta para usá-la novamente.`,
    reconnectElsewhere: organization => say`Para reconectar esta conta, abra ${organization}.`,
    pause: say`Pausar por uma hora`,
    resume: say`Retomar agora`,
    label: say`Nome`,
    labelHint: say`O assistente vê este nome e o usa para escolher a conta.`,
    labelRejected: say`Escolha outro nome. Ele deve ocupar uma única linha e não pode ser o de outra conta.`,
    save: say`Salvar`,
    add: say`Adicionar outra conta`,
    reconnect: say`Reconectar`,
    disconnect: say`Desconectar`,
    back: say`Voltar para suas conexões`,
    confirmTitle: connector => say`Desconectar ${connector}?`,
    confirmLead: (organization, connector) =>
      say`O assistente de ${organization} não poderá mais usar esta conta de ${connector}. Você pode conectá-la novamente depois.`,
    keep: say`Manter conectada`,
    doneTitle: connector => say`Você desconectou ${connector}`,
    doneLead: organization => say`O assistente de ${organization} não pode mais usar esta conta.`,
    stored: say`Acesso armazenado`,
    deleted: say`Excluído. O assistente não pode mais usar a conta.`,
    atProvider: connector => say`Em ${connector}`,
    revocation: {
      pending: connector => say`Estamos pedindo que ${connector} revogue o acesso.`,
      revoked: connector => say`${connector} confirmou que o acesso foi revogado.`,
      not_supported: connector =>
        say`${connector} não nos permite revogar o acesso. Por segurança, exclua a chave ou a permissão na sua conta de ${connector}.`,
      kept_shared: connector =>
        say`Outra conexão usa a mesma permissão, por isso ela não foi revogada. Você pode removê-la na sua conta de ${connector}.`,
      gave_up: connector =>
        say`${connector} não confirmou que o acesso foi revogado. Remova-o na sua conta de ${connector}.`,
    },
    checkAgain: say`Verificar de novo`,
    pending: say`Aguardando sua decisão`,
    pendingLead: organization =>
      say`Você pode recusar aqui. Para aprovar, abra a solicitação em ${organization}.`,
    refuse: action => say`Não permitir: ${action}`,
    remembered: say`Permitido sem perguntar`,
    rememberedUntil: time => say`até ${time}`,
    usesLeft: count => say`usos restantes: ${count}`,
    anyText: say`qualquer texto`,
    askAgain: action => say`Perguntar de novo: ${action}`,
    decisions: say`Suas últimas decisões`,
    decision: { approve: say`Aprovado`, deny: say`Não permitido` },
    clients: say`Apps com acesso às suas ferramentas`,
    signOut: client => say`Encerrar a sessão de ${client}`,
  },

  signIn: {
    title: (client, organization) => say`Permitir que ${client} use suas ferramentas de ${organization}?`,
    lead: (client, organization) =>
      say`${client} poderá usar estas ferramentas por você, com as contas que você conectou com ${organization}.`,
    client: say`Aplicativo`,
    returnsTo: say`Volta para`,
    thisDevice: say`Um app neste dispositivo`,
    tools: say`Ferramentas`,
    warning: client =>
      say`Continue somente se você acabou de começar isto em ${client}. O app nunca vê suas senhas nem suas chaves.`,
    allow: say`Permitir`,
    deny: say`Não permitir`,
  },

  approval: {
    title: connector => say`Aprovar esta ação em ${connector}?`,
    lead: organization => say`O assistente de ${organization} quer fazer exatamente isto, uma vez.`,
    tool: say`Ação`,
    serverTool: say`Ação, segundo o servidor`,
    noAccount: say`Sem conta`,
    labeled: label => say`seu rótulo: ${label}`,
    destructive: say`Isto pode alterar ou excluir dados, e talvez não possa ser desfeito.`,
    unverified: say`O que este servidor faz não foi verificado. Ele pode alterar ou excluir dados.`,
    noArguments: say`A ação não tem outros detalhes.`,
    noPreview: connector =>
      say`Não foi possível carregar os detalhes de ${connector}. Talvez você veja identificadores em vez de nomes.`,
    roles: { recipient: say`Destinatário`, amount: say`Valor`, target: say`Alvo` },
    empty: say`vazio`,
    folded: {
      long: count => say`${count} caracteres, ainda não abertos`,
      binary: count => say`${count} caracteres de dados codificados, ainda não abertos`,
    },
    showAll: say`Mostrar tudo`,
    mixed: words => say`Letras de alfabetos diferentes: ${words}`,
    previous: {
      same: time => say`A mesma ação já foi realizada: ${time}.`,
      marked: time => say`O que mudou desde a última vez, ${time}, está marcado.`,
      lastTime: say`Da última vez`,
      added: say`Não estava da última vez`,
      differs: say`Diferente da última vez`,
      gone: say`Não está desta vez`,
    },
    reasons: organization => say`Por que ${organization} pergunta a você`,
    request: say`A solicitação que será enviada`,
    once: say`Só isto será feito, e só uma vez. Se algo mudar, você será consultado de novo.`,
    openFirst: say`Abra tudo o que está recolhido antes de aprovar.`,
    approve: say`Aprovar uma vez`,
    remember: {
      open: say`Aprovar e lembrar…`,
      label: say`Permitir o mesmo sem me perguntar`,
      periods: {
        hour: uses => say`por uma hora, até ${uses} vezes`,
        day: uses => say`por um dia, até ${uses} vezes`,
        month: uses => say`por 30 dias, até ${uses} vezes`,
      },
      anyText: say`mesmo que o texto seja diferente`,
      hint: say`Todo o resto precisa continuar exatamente igual. Você pode encerrar isso onde gerencia suas contas.`,
      approve: say`Aprovar e lembrar`,
    },
    deny: say`Não permitir…`,
    reason: say`Motivo para o assistente`,
    denyCall: say`Não permitir`,
    entry: {
      title: say`Uma decisão espera por você`,
      lead: organization => say`O assistente de ${organization} precisa da sua aprovação para continuar.`,
      again: say`Você entra de novo a cada decisão, para que ninguém decida por você.`,
      signIn: say`Entrar para ver`,
      view: say`Ver a solicitação`,
      fromApp: organization => say`Abra esta solicitação em ${organization} para vê-la e decidir.`,
    },
    endings: {
      approved: {
        title: say`Aprovado`,
        lead: organization =>
          say`Agora o assistente de ${organization} pode fazer isso uma vez. Para qualquer outra coisa, ele terá que perguntar de novo.`,
      },
      executing: {
        title: say`Aprovado`,
        lead: organization => say`O assistente de ${organization} está fazendo isso agora.`,
      },
      done: {
        title: say`Feito`,
        lead: organization =>
          say`O assistente de ${organization} fez isso uma vez. Para repetir, ele terá que perguntar de novo.`,
      },
      remembered: {
        title: say`Aprovado`,
        lead: organization =>
          say`O assistente de ${organization} pode repetir isso sem perguntar pelo tempo que você escolheu.`,
      },
      waits_for_others: {
        title: say`Aprovado`,
        lead: organization => say`Outra pessoa de ${organization} também precisa aprovar.`,
      },
      denied: {
        title: say`Não permitido`,
        lead: organization => say`Nada foi feito. O assistente de ${organization} foi informado.`,
      },
      failed: {
        title: say`Aprovado, mas falhou`,
        lead: organization => say`O assistente de ${organization} tentou uma vez e não conseguiu.`,
      },
      unknown: {
        title: say`Aprovado, com resultado desconhecido`,
        lead: organization =>
          say`A conexão caiu enquanto o assistente de ${organization} fazia isso, então não se sabe se foi feito. Não será repetido.`,
      },
      expired: {
        title: say`Tarde demais para decidir`,
        lead: organization =>
          say`Esta solicitação terminou e nada foi feito. O assistente de ${organization} pode perguntar de novo.`,
      },
      account_changed: {
        title: say`A conta mudou`,
        lead: organization =>
          say`A conta desta solicitação foi conectada de novo, desconectada ou compartilhada de outra forma, e nada foi feito. O assistente de ${organization} pode perguntar de novo.`,
      },
      action_changed: {
        title: say`A ação mudou`,
        lead: organization =>
          say`O que foi perguntado mudou desde então e nada foi feito. O assistente de ${organization} pode perguntar de novo.`,
      },
      rules_changed: {
        title: say`As regras mudaram`,
        lead: organization =>
          say`Esta ação não é mais permitida ou precisa ser aprovada por outras pessoas, e nada foi feito. O assistente de ${organization} pode perguntar de novo.`,
      },
    },
  },

  expired: {
    title: say`Este link expirou`,
    lead: () => say`Para proteger suas contas, cada link funciona só por pouco tempo.`,
    ask: organization => say`Pedir um novo link para ${organization}`,
    askedTitle: say`Pedido enviado`,
    askedLead: organization =>
      say`${organization} pode ver que você precisa de um novo link e decide se envia um. Se nenhum chegar, fale com ${organization}.`,
  },

  withdrawn: {
    title: say`Este link não é mais válido`,
    lead: say`Ele foi cancelado antes de você terminar.`,
  },

  used: {
    title: say`Este link já foi usado`,
    lead: connector =>
      connector === null
        ? say`Cada link funciona uma única vez.`
        : say`Ele serviu para conectar ${connector}. Cada link funciona uma única vez.`,
    unconfirmed: connector =>
      say`A conexão com ${connector} ainda não foi concluída. O app que enviou você para cá ainda precisa confirmar. Cada link funciona uma única vez.`,
  },

  askForNewLink: organization =>
    organization === null
      ? say`Peça um novo para quem enviou este.`
      : say`Peça um novo para ${organization}.`,

  cancelled: {
    title: say`Você cancelou`,
    lead: connector =>
      connector === null
        ? say`Você pode abrir o link de novo enquanto ele for válido.`
        : say`A conta ${connector} não foi conectada. Você pode abrir o link de novo enquanto ele for válido.`,
    unexpectedTitle: say`Interrompemos este pedido`,
    unexpectedLead: organization =>
      organization === null
        ? say`Agradecemos o cuidado. Apague a mensagem com o link e não a encaminhe.`
        : say`Agradecemos o cuidado. Apague a mensagem com o link, não a encaminhe e avise ${organization} se chegar outra.`,
  },

  failed: {
    title: connector =>
      connector === null
        ? say`Não foi possível conectar a conta`
        : say`Não foi possível conectar ${connector}`,
    reason: {
      provider_error: connector => say`${connector} informou um problema, e o login não foi concluído.`,
      provider_timeout: connector => say`${connector} demorou demais para responder.`,
      provider_unavailable: connector => say`${connector} não está respondendo no momento.`,
      exchange_failed: connector => say`${connector} não confirmou seu login.`,
      issuer_mismatch: connector => say`A resposta não veio de ${connector}, por isso a recusamos.`,
      invalid_state: () =>
        say`A resposta não corresponde ao login que você iniciou aqui, por isso a recusamos.`,
      session_expired: () => say`O link expirou enquanto você fazia login.`,
      key_rejected: connector => say`${connector} não aceitou a chave.`,
      key_check_unavailable: connector =>
        say`${connector} não conseguiu verificar a chave agora, por isso não a salvamos.`,
      certificate_refused: connector => say`${connector} recusou o certificado.`,
      scope_missing: connector => say`${connector} não concedeu todas as permissões necessárias.`,
      no_site: connector =>
        say`${connector} não encontrou nenhum site nem organização que sua conta possa usar. Peça ao administrador para adicionar você ou entre com outra conta.`,
      connector_removed: connector => say`${connector} não está mais disponível aqui.`,
      internal: () => say`Algo deu errado do nosso lado.`,
    },
    giveUp: organization =>
      organization === null
        ? say`Se acontecer de novo, avise quem enviou o link e informe a referência.`
        : say`Se acontecer de novo, avise ${organization} e informe a referência.`,
  },

  refused: {
    invalid_link: {
      title: say`Este link não funciona`,
      lead: () => say`Parte do endereço pode estar faltando. Peça um novo para quem enviou este.`,
    },
    user_inactive: {
      title: say`Este link está pausado`,
      lead: organization =>
        organization === null
          ? say`A conta para a qual ele foi criado não está ativa. Fale com quem enviou o link.`
          : say`A conta ${organization} para a qual ele foi criado não está ativa. Peça para ${organization} ativar a conta.`,
    },
    unauthorized_origin: {
      title: say`Este link não pode ser usado`,
      lead: organization =>
        organization === null
          ? say`Ele enviaria você a um endereço que não foi aprovado.`
          : say`Ele enviaria você a um endereço que ${organization} não aprovou.`,
    },
    other_browser: {
      title: say`Continue no navegador em que você começou`,
      lead: () =>
        say`Você começou em outro navegador ou dispositivo. Volte para lá ou abra o link de novo aqui.`,
    },
    opened_elsewhere: {
      title: say`Este link foi aberto em outro navegador`,
      lead: organization =>
        organization === null
          ? say`Ele funciona apenas no navegador que o abriu primeiro. Peça um novo link para este navegador.`
          : say`Ele funciona apenas no navegador que o abriu primeiro. Peça para ${organization} um novo link para este navegador.`,
    },
    cookies_blocked: {
      title: say`Seu navegador bloqueia cookies`,
      lead: () =>
        say`Precisamos de um cookie para confirmar que é você. Permita cookies neste site e abra o link de novo.`,
    },
    too_many_requests: {
      title: say`Muitas tentativas`,
      lead: () => say`Espere um minuto e abra o link de novo.`,
    },
    connector_gone: {
      title: say`Este app não é mais oferecido`,
      lead: organization =>
        organization === null
          ? say`O app deste link não pode mais ser conectado. Peça um novo link.`
          : say`${organization} não oferece mais o app deste link. Peça um novo link para ${organization}.`,
    },
    unavailable: {
      title: say`Voltamos já`,
      lead: () =>
        say`Esta página não está disponível no momento. Seu link continua válido. Abra-o de novo em alguns minutos.`,
    },
    organization_moving: {
      title: say`Só um momento`,
      lead: () =>
        say`Esta página está sendo transferida para outro servidor. Seu link continua válido. Tente novamente em alguns segundos.`,
    },
    wrong_cell: {
      title: say`Esta página não pode ser exibida aqui`,
      lead: () => say`Seu link pertence a outro servidor. Abra-o de novo no lugar em que você o recebeu.`,
    },
    organization_suspended: {
      title: say`As conexões estão pausadas`,
      lead: organization =>
        organization === null
          ? say`A conexão de contas está pausada no momento. Suas conexões atuais foram mantidas. Fale com quem enviou o link.`
          : say`${organization} não pode conectar contas no momento. Suas conexões atuais foram mantidas. Fale com ${organization} para saber quando será possível de novo.`,
    },
    sign_in_invalid: {
      title: say`Este login não pode continuar`,
      lead: () =>
        say`Ele expirou, já foi concluído ou está incompleto. Comece de novo no app de onde você veio.`,
    },
    sign_in_not_allowed: {
      title: say`Você não tem acesso`,
      lead: organization =>
        organization === null
          ? say`Não há uma conta ativa para você aqui. Fale com os responsáveis pelo app.`
          : say`${organization} não tem uma conta ativa para você. Peça acesso para ${organization}.`,
    },
    sign_in_unmatched: {
      title: say`Não encontramos uma conta para você`,
      lead: organization =>
        organization === null
          ? say`O serviço de login não enviou a informação que identifica você. Peça aos responsáveis pelo app que verifiquem as configurações de login.`
          : say`O serviço de login de ${organization} não enviou a informação que identifica você. Peça que ${organization} verifique as configurações de login.`,
    },
    sign_in_email_unverified: {
      title: say`Seu e-mail não foi verificado`,
      lead: organization =>
        organization === null
          ? say`O serviço de login não verificou seu e-mail. Verifique-o lá e comece de novo, ou fale com os responsáveis pelo app.`
          : say`O serviço de login de ${organization} não verificou seu e-mail. Verifique-o lá e comece de novo, ou peça ajuda para ${organization}.`,
    },
    sign_in_denied: {
      title: say`O login não foi concluído`,
      lead: organization =>
        organization === null
          ? say`O login foi cancelado ou o serviço de login não permitiu sua entrada. Comece de novo no app de onde você veio ou peça acesso aos responsáveis por ele.`
          : say`O login foi cancelado ou o serviço de login de ${organization} não permitiu sua entrada. Comece de novo no app de onde você veio ou peça acesso para ${organization}.`,
    },
    sign_in_failed: {
      title: say`O serviço de login não está funcionando`,
      lead: organization =>
        organization === null
          ? say`Tente de novo em alguns minutos no app de onde você veio. Se o problema continuar, avise os responsáveis por ele.`
          : say`Não foi possível usar o serviço de login de ${organization}. Tente de novo em alguns minutos no app de onde você veio. Se o problema continuar, avise ${organization}.`,
    },
    approval_invalid: {
      title: say`Não é possível abrir esta solicitação`,
      lead: () =>
        say`Pode faltar uma parte do endereço, ou a solicitação terminou. Comece de novo no aplicativo de onde você veio.`,
    },
    approval_of_another_user: {
      title: say`Esta solicitação é para outra pessoa`,
      lead: organization =>
        organization === null
          ? say`Você entrou como alguém que não pode decidir sobre ela.`
          : say`Você entrou em ${organization} como alguém que não pode decidir sobre ela.`,
    },
  },
}
