// Modal checkout of shop plugins that were written for BTCPay Server. The payment
// page of Durapay cannot be shown in a frame of another page, so the buyer is led
// to it, and comes back by the button of that page.
(function () {
  "use strict";
  var script = document.currentScript;
  var base = script ? new URL("..", script.src).href : "/";

  window.btcpay = {
    // setApiUrlPrefix is told where the service is.
    setApiUrlPrefix: function (prefix) {
      base = prefix.replace(/\/?$/, "/");
    },
    // showInvoice leads to the payment page of an invoice.
    showInvoice: function (invoiceId) {
      window.location.assign(base + "i/" + encodeURIComponent(invoiceId));
    },
    // There is no frame to hide, and none that sends messages.
    hideFrame: function () {},
    onModalReceiveMessage: function () {},
    onModalWillEnter: function () {},
    onModalWillLeave: function () {}
  };
})();
